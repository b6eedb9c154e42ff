import { useState } from "react";

import type { Item } from "../item";
import { NotShown, Shown } from "../Shown";
import type { ViewerProps } from ".";
import { dimensionsOf } from "./dimensions";
import { ReducedImage } from "./ReducedImage";
import { useBytes, useObjectUrl } from "./useFile";

const MOST_BYTES = 64 << 20;
/** Four bytes each are held for as long as it is shown. */
const MOST_PIXELS = 24_000_000;
const MOST_REDUCED_PIXELS = 150_000_000;

/** An image, as a picture: scripts in an SVG do not run, and nothing that it names is fetched. */
export default function Image({ item }: ViewerProps) {
  return (
    <Shown item={item} loaded={useBytes(item, MOST_BYTES)}>
      {(bytes) => <Sized item={item} bytes={bytes} />}
    </Shown>
  );
}

function Sized({ item, bytes }: { item: Item; bytes: Uint8Array<ArrayBuffer> }) {
  const dimensions = dimensionsOf(bytes);
  const pixels = dimensions ? dimensions.width * dimensions.height : 0;
  if (!dimensions || pixels <= MOST_PIXELS) return <Picture item={item} bytes={bytes} />;
  if (pixels <= MOST_REDUCED_PIXELS) return <ReducedImage item={item} bytes={bytes} dimensions={dimensions} />;
  const { width, height } = dimensions;
  return <NotShown item={item} why={`At ${width} × ${height} pixels this image is too large to be shown here.`} />;
}

function Picture({ item, bytes }: { item: Item; bytes: Uint8Array<ArrayBuffer> }) {
  const address = useObjectUrl(bytes, item.mime.startsWith("image/") ? item.mime : "");
  const [broken, setBroken] = useState(false);
  if (broken) return <NotShown item={item} why="This image cannot be shown: it is damaged, or of a kind not known." />;
  if (!address) return null;
  return (
    <section className="viewer-image" tabIndex={0} aria-label={item.title}>
      <img src={address} alt={item.description ?? item.title} decoding="async" onError={() => setBroken(true)} />
    </section>
  );
}
