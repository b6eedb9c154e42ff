import { api, unwrap } from "../api/client";
import type { FileRecord } from "../api/types";
import { showFile } from "../canvas/showFile";
import { useAsync } from "../canvas/useAsync";
import Thumbnail from "./Thumbnail";
import "./files.css";

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

async function fetchRecord(file_key: string): Promise<FileRecord> {
  const params = { path: { file_key }, query: { content: false } };
  return unwrap(api.GET("/api/files/{file_key}", { params }));
}
