import { useState } from "react";
import { texts } from "../../texts";

import type { Item } from "../item";
import { AsyncPreview, PreviewError } from "../PreviewState";
import { readDimensions } from "./dimensions";
import { ReducedImage } from "./ReducedImage";
import type { ViewerProps } from "./types";
import { useFileBytes, useObjectUrl } from "./useFileContent";

const MAX_BYTES = 64 << 20;
/** A decoded pixel takes four bytes of memory while the image is shown. */
const MAX_PIXELS = 24_000_000;
const MAX_REDUCIBLE_PIXELS = 150_000_000;

/** Image in an `img` element: scripts in an SVG do not run, and external resources are not loaded. */
export default function Image({ item }: ViewerProps) {
  return (
    <AsyncPreview item={item} state={useFileBytes(item, MAX_BYTES)}>
      {(bytes) => <ImageBySize item={item} bytes={bytes} />}
    </AsyncPreview>
  );
}

function ImageBySize({ item, bytes }: { item: Item; bytes: Uint8Array<ArrayBuffer> }) {
  const dimensions = readDimensions(bytes);
  const pixels = dimensions ? dimensions.width * dimensions.height : 0;
  if (!dimensions || pixels <= MAX_PIXELS) return <FullImage item={item} bytes={bytes} />;
  if (pixels <= MAX_REDUCIBLE_PIXELS) return <ReducedImage item={item} bytes={bytes} dimensions={dimensions} />;
  const { width, height } = dimensions;
  return <PreviewError item={item} message={texts.viewers.imageTooLarge(width, height)} />;
}

function FullImage({ item, bytes }: { item: Item; bytes: Uint8Array<ArrayBuffer> }) {
  const url = useObjectUrl(bytes, item.mime.startsWith("image/") ? item.mime : "");
  const [failed, setFailed] = useState(false);
  if (failed) {
    return <PreviewError item={item} message={texts.viewers.badImage} />;
  }
  if (!url) return null;
  return (
    <section className="viewer-image" tabIndex={0} aria-label={item.title}>
      <img src={url} alt={item.description ?? item.title} decoding="async" onError={() => setFailed(true)} />
    </section>
  );
}
