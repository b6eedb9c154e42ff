/** Audio and video, with the browser's own controls. */
import { useState } from "react";
import { texts } from "../../texts";

import type { Item } from "../item";
import { AsyncPreview, PreviewError } from "../PreviewState";
import type { ViewerProps } from "./types";
import { useFileBytes, useObjectUrl } from "./useFileContent";

/** The whole file is held in memory while it is shown. */
const MAX_BYTES = 128 << 20;

export function Audio({ item }: ViewerProps) {
  return (
    <AsyncPreview item={item} state={useFileBytes(item, MAX_BYTES)}>
      {(bytes) => <Player item={item} bytes={bytes} Element="audio" />}
    </AsyncPreview>
  );
}

export function Video({ item }: ViewerProps) {
  return (
    <AsyncPreview item={item} state={useFileBytes(item, MAX_BYTES)}>
      {(bytes) => <Player item={item} bytes={bytes} Element="video" />}
    </AsyncPreview>
  );
}

interface PlayerProps {
  item: Item;
  bytes: Uint8Array<ArrayBuffer>;
  Element: "audio" | "video";
}

function Player({ item, bytes, Element }: PlayerProps) {
  const url = useObjectUrl(bytes, item.mime);
  const [failed, setFailed] = useState(false);
  if (failed) return <PreviewError item={item} message={texts.viewers.cannotPlay} />;
  if (!url) return null;
  return (
    <div className="viewer-media">
      <Element controls src={url} aria-label={item.title} onError={() => setFailed(true)} />
    </div>
  );
}
