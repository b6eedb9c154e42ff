import { useState } from "react";

import type { Item } from "../item";
import { NotShown } from "../Shown";
import { useObjectUrl } from "./useFile";

interface MediaProps {
  item: Item;
  bytes: Uint8Array<ArrayBuffer>;
  Element: "audio" | "video";
}

/** What is played; a file that the browser cannot play is offered for download. */
export function Media({ item, bytes, Element }: MediaProps) {
  const address = useObjectUrl(bytes, item.mime);
  const [broken, setBroken] = useState(false);
  if (broken) return <NotShown item={item} why="This file cannot be played here." />;
  if (!address) return null;
  return (
    <div className="viewer-media">
      <Element controls src={address} aria-label={item.title} onError={() => setBroken(true)} />
    </div>
  );
}
