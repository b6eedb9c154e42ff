import { useEffect, useState, useSyncExternalStore } from "react";

import type { FileOut } from "../api/types";
import { PausableButton } from "../shared/PausableButton";
import "./files.css";
import { FileFilters } from "./FileFilters";
import { FileLine } from "./FileLine";
import { removeSoon } from "./removal";
import { ShareDialog } from "./ShareDialog";
import { Unfinished } from "./Unfinished";
import { UploadButton } from "./UploadButton";
import { listUploads, onUploads } from "./upload/store";
import { type Filters, useFiles } from "./useFiles";

export interface FilesProps {
  /** The session that is open; null before the first message. */
  sessionId: string | null;
  /** Rises when a turn made files, an upload ended or a session was ended: what is shown may be old. */
  changes: number;
  /** Puts `@name` into the message. */
  onMention(name: string): void;
}

const TICK_MS = 30_000;

/** My Files: what the person has, wherever it came from. */
export default function Files({ sessionId, changes, onMention }: FilesProps) {
  const [filters, setFilters] = useState<Filters>({ sessionId: null, source: null, category: "", prefix: "" });
  const arrived = useSyncExternalStore(onUploads, () => listUploads().filter(({ state }) => state === "done").length);
  const list = useFiles(filters, `${changes}/${arrived}`);
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const [shared, setShared] = useState<FileOut | null>(null);
  const now = useNow();
  const remove = (file: FileOut) => {
    setRemoved((before) => new Set([...before, file.file_key]));
    removeSoon(file, (deleted) => {
      if (deleted) list.replace(file.file_key, null);
      setRemoved((before) => new Set([...before].filter((key) => key !== file.file_key)));
    });
  };
  const shown = list.files.filter((file) => !removed.has(file.file_key) && (file.expires_at ?? Infinity) > now);
  return (
    <section className="files" aria-label="My Files">
      <header className="files-head">
        <h2>My Files</h2>
        <UploadButton sessionId={sessionId} />
      </header>
      <FileFilters filters={filters} sessionId={sessionId} onChange={setFilters} />
      <Unfinished occasion={arrived} />
      {list.error && (
        <p role="alert">
          {list.error}{" "}
          <button type="button" onClick={list.reload}>
            Try again
          </button>
        </p>
      )}
      <ul className="file-list" aria-busy={list.loading}>
        {shown.map((file) => (
          <FileLine
            key={file.file_key}
            file={file}
            now={now}
            onMention={() => onMention(file.name)}
            onKept={(kept) => list.replace(file.file_key, kept)}
            onShare={() => setShared(file)}
            onDelete={() => remove(file)}
          />
        ))}
      </ul>
      {!list.loading && !list.error && shown.length === 0 && <p className="faint">No files.</p>}
      {list.more && (
        <PausableButton paused={list.loading} onClick={list.loadMore}>
          Show more
        </PausableButton>
      )}
      {shared && <ShareDialog file={shared} onClose={() => setShared(null)} />}
    </section>
  );
}

/** The time in seconds since 1970, now and then. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
