import { useEffect, useState } from "react";

import type { FileRecord } from "../api/types";
import { itemFromFile } from "../canvas/item";
import { Icon, iconForMime } from "../shared/Icon";

const THUMBNAIL_TYPES = /^image\/(png|jpeg|gif|webp)$/;
/** Larger pictures have no thumbnail, because the page would download all of them. */
const MAX_THUMBNAIL_BYTES = 2 << 20;
const DELAY_MS = 150;

/** A small picture of an image, and an icon of any other file. */
export default function Thumbnail({ file }: { file: FileRecord }) {
  const [link, setLink] = useState<string | null>(null);
  const isShown = THUMBNAIL_TYPES.test(file.mime) && file.size <= MAX_THUMBNAIL_BYTES;
  useEffect(() => {
    if (!isShown) return;
    // Not at once, so that a quick scroll over many files requests none of them. Without a link, the icon stays.
    const timer = setTimeout(() => itemFromFile(file).link().then(setLink, () => setLink(null)), DELAY_MS);
    return () => clearTimeout(timer);
  }, [file, isShown]);
  if (!link) return <Icon name={iconForMime(file.mime)} />;
  return <img className="thumbnail" src={link} alt="" loading="lazy" decoding="async" onError={() => setLink(null)} />;
}
