import { useEffect, useState } from "react";

import { api, unwrap } from "../api/client";
import type { FileRecord } from "../api/types";
import { itemFromFile } from "../canvas/item";
import { showFile } from "../canvas/showFile";
import { useAsync } from "../canvas/useAsync";
import { Icon, iconForMime } from "../shared/Icon";
import "./files.css";

const THUMBNAIL_TYPES = /^image\/(png|jpeg|gif|webp)$/;
/** Larger pictures have no thumbnail, because the page would download all of them. */
const MAX_THUMBNAIL_BYTES = 2 << 20;

/** The files that the user attached to a message: a thumbnail for each picture, and a button that opens the file. */
export default function AttachedFiles({ fileKeys }: { fileKeys: readonly string[] }) {
  return (
    <ul className="attachments" aria-label="Attached files">
      {fileKeys.map((fileKey) => (
        <AttachedFile key={fileKey} fileKey={fileKey} />
      ))}
    </ul>
  );
}

function AttachedFile({ fileKey }: { fileKey: string }) {
  const state = useAsync(fileKey, () => fetchRecord(fileKey));
  if (state.status === "loading") return <li className="faint">…</li>;
  if (state.status === "failed") return <li className="faint">This file no longer exists.</li>;
  const file = state.value;
  return (
    <li>
      <button type="button" className="attachment" title={file.name} onClick={() => showFile(file)}>
        <Thumbnail file={file} />
        <span className="name">{file.name}</span>
      </button>
    </li>
  );
}

function Thumbnail({ file }: { file: FileRecord }) {
  const [link, setLink] = useState<string | null>(null);
  const isShown = THUMBNAIL_TYPES.test(file.mime) && file.size <= MAX_THUMBNAIL_BYTES;
  useEffect(() => {
    // Without a link, the icon stays.
    if (isShown) itemFromFile(file).link().then(setLink, () => setLink(null));
  }, [file, isShown]);
  if (!link) return <Icon name={iconForMime(file.mime)} />;
  return <img className="thumbnail" src={link} alt="" loading="lazy" decoding="async" onError={() => setLink(null)} />;
}

async function fetchRecord(file_key: string): Promise<FileRecord> {
  const params = { path: { file_key }, query: { content: false } };
  return unwrap(api.GET("/api/files/{file_key}", { params }));
}
