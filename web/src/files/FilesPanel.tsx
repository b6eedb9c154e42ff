import { useEffect, useRef, useState, useSyncExternalStore } from "react";

import type { FileRecord } from "../api/types";
import { Button } from "../shared/Button";
import "./files.css";
import { deleteWithUndo } from "./deleteWithUndo";
import { FileFilters } from "./FileFilters";
import { FileRow } from "./FileRow";
import { ShareDialog } from "./ShareDialog";
import { QuotaSummary } from "./QuotaSummary";
import { UnfinishedUploads } from "./UnfinishedUploads";
import { listUploads, startUpload, subscribeToUploads } from "./upload/uploadStore";
import { type Filters, useFiles } from "./useFiles";

export interface FilesPanelProps {
  /** The open session; null before the first message. */
  sessionId: string | null;
  /** Incremented whenever the user's files may have changed, to reload the list. */
  changes: number;
  /** Puts `@name` into the message. */
  onMention(name: string): void;
}

const CLOCK_INTERVAL_MS = 30_000;

/** My Files: all files of the user, from uploads and from tools. */
export default function FilesPanel({ sessionId, changes, onMention }: FilesPanelProps) {
  const [filters, setFilters] = useState<Filters>({ sessionId: null, source: null, category: "", prefix: "" });
  const countUploaded = () => listUploads().filter(({ state }) => state === "done").length;
  const uploadedCount = useSyncExternalStore(subscribeToUploads, countUploaded);
  const list = useFiles(filters, `${changes}/${uploadedCount}`);
  const [deletedKeys, setDeletedKeys] = useState<ReadonlySet<string>>(new Set());
  const [sharedFile, setSharedFile] = useState<FileRecord | null>(null);
  const now = useNow();
  const remove = (file: FileRecord) => {
    setDeletedKeys((before) => new Set([...before, file.file_key]));
    deleteWithUndo(file, (deleted) => {
      if (deleted) list.replace(file.file_key, null);
      setDeletedKeys((before) => new Set([...before].filter((key) => key !== file.file_key)));
    });
  };
  const isExpired = ({ expires_at }: FileRecord) => expires_at !== null && Date.parse(expires_at) / 1000 <= now;
  const visible = list.files.filter((file) => !deletedKeys.has(file.file_key) && !isExpired(file));
  return (
    <section className="files" aria-label="My Files">
      <header className="files-head">
        <h2>My Files</h2>
        <UploadButton sessionId={sessionId} />
      </header>
      <FileFilters filters={filters} sessionId={sessionId} onChange={setFilters} />
      <UnfinishedUploads reloadKey={uploadedCount} />
      <QuotaSummary reloadKey={`${changes}/${uploadedCount}/${deletedKeys.size}`} />
      {list.error && (
        <p role="alert">
          {list.error}{" "}
          <button type="button" onClick={list.reload}>
            Try again
          </button>
        </p>
      )}
      <ul className="file-list" aria-busy={list.loading}>
        {visible.map((file) => (
          <FileRow
            key={file.file_key}
            file={file}
            now={now}
            onMention={() => onMention(file.name)}
            onKeep={(updated) => list.replace(file.file_key, updated)}
            onShare={() => setSharedFile(file)}
            onDelete={() => remove(file)}
          />
        ))}
      </ul>
      {!list.loading && !list.error && visible.length === 0 && <p className="faint">No files found.</p>}
      {list.hasMore && (
        <Button disabled={list.loading} onClick={list.loadMore}>
          Show more
        </Button>
      )}
      {sharedFile && <ShareDialog file={sharedFile} onClose={() => setSharedFile(null)} />}
    </section>
  );
}

/** Button that opens the browser's file picker and uploads the chosen files. */
function UploadButton({ sessionId }: { sessionId: string | null }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        Upload
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={(event) => {
          for (const file of event.target.files ?? []) startUpload(file, sessionId, () => undefined);
          event.target.value = ""; // otherwise choosing the same file again fires no event
        }}
      />
    </>
  );
}

/** Return the time in seconds since 1970, updated every 30 seconds. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), CLOCK_INTERVAL_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
