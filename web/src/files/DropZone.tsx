import { type ClipboardEvent, type DragEvent, type ReactNode, useRef, useState, useSyncExternalStore } from "react";

import type { FileRecord } from "../api/types";
import { formatSize } from "../shared/format";
import { withErrorToast } from "../shared/notifications";
import "./files.css";
import {
  cancelUpload,
  listUploads,
  resumeUpload,
  startUpload,
  subscribeToUploads,
  type Upload,
} from "./upload/uploadStore";

export interface DropZoneProps {
  /** Returns the session for the files; the first file of a new conversation creates it. */
  sessionFor(): Promise<string>;
  /** A file is uploaded: attach it to the message. */
  onUploaded(file: FileRecord): void;
  children: ReactNode;
}

/** Uploads files that are dropped on or pasted into its children, and shows their progress. */
export default function DropZone({ sessionFor, onUploaded, children }: DropZoneProps) {
  const [isDragging, setIsDragging] = useState(false);
  const depth = useRef(0); // dragenter and dragleave also fire for every child
  const changeDepth = (step: number) => {
    depth.current = Math.max(0, depth.current + step);
    setIsDragging(depth.current > 0);
  };
  const upload = async (files: readonly File[]) => {
    const sessionId = await sessionFor();
    for (const file of files) startUpload(file, sessionId, onUploaded);
  };
  const onDrop = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth.current = 0;
    setIsDragging(false);
    const files = [...event.dataTransfer.files]; // copied now: the browser clears the list before the session exists
    void withErrorToast(() => upload(files));
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    // Office programs add an image of the copied text to the clipboard: paste the text only.
    if (files.length === 0 || event.clipboardData.types.includes("text/plain")) return;
    event.preventDefault();
    void withErrorToast(() => upload(files.map(withUniqueName)));
  };
  return (
    <div
      className="drop-zone"
      onDragEnter={(event) => hasFiles(event) && changeDepth(1)}
      onDragLeave={(event) => hasFiles(event) && changeDepth(-1)}
      onDragOver={(event) => hasFiles(event) && event.preventDefault()}
      onDrop={onDrop}
      onPaste={onPaste}
    >
      {children}
      <UploadList />
      {isDragging && <p className="drop-overlay">Drop files to upload</p>}
    </div>
  );
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer.types.includes("Files");
}

/** Browsers name every pasted image `image.png`: without unique names, each would replace the one before. */
function withUniqueName(file: File): File {
  if (file.name !== "image.png") return file;
  const timestamp = new Date().toISOString().slice(0, 19).replace("T", " ").replaceAll(":", ".");
  return new File([file], `Pasted ${timestamp}.png`, { type: file.type });
}

/** Running and failed uploads of this page, with their progress. */
function UploadList() {
  const uploads = useSyncExternalStore(subscribeToUploads, listUploads).filter(({ state }) => state !== "done");
  return (
    <div role="status" aria-live="polite" className="upload-status">
      {uploads.length > 0 && (
        <ul className="upload-list" aria-label="Uploads">
          {uploads.map((upload) => (
            <UploadRow key={upload.id} upload={upload} />
          ))}
        </ul>
      )}
    </div>
  );
}

function UploadRow({ upload: { id, file, sent, state, error } }: { upload: Upload }) {
  return (
    <li>
      <span className="upload-name">{file.name}</span>
      <progress aria-label={`Uploading ${file.name}`} max={Math.max(1, file.size)} value={sent} />
      <span aria-hidden>
        {formatSize(sent)} of {formatSize(file.size)}
      </span>
      {state === "failed" && (
        <>
          <span role="alert">{error}</span>
          <button type="button" aria-label={`Resume ${file.name}`} onClick={() => resumeUpload(id)}>
            Resume
          </button>
        </>
      )}
      <button type="button" aria-label={`Cancel ${file.name}`} onClick={() => cancelUpload(id)}>
        Cancel
      </button>
    </li>
  );
}
