import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";

import type { FileRecord } from "../api/types";
import { Icon } from "../shared/Icon";
import "./files.css";
import { deleteWithUndo } from "./deleteWithUndo";
import { FileFilters, type FileQuery } from "./FileFilters";
import { FileList } from "./FileList";
import { findFiles, sortFiles } from "./fileOrder";
import type { FileActions } from "./FileRow";
import { SelectionBar } from "./SelectionBar";
import { ShareDialog } from "./ShareDialog";
import { QuotaSummary } from "./QuotaSummary";
import { UnfinishedUploads } from "./UnfinishedUploads";
import { listUploads, startUpload, subscribeToUploads } from "./upload/uploadStore";
import { PAGE_SIZE, useFiles } from "./useFiles";
import { useSelection } from "./useSelection";

export interface FilesPanelProps {
  /** The open session; null before the first message. */
  sessionId: string | null;
  /** Incremented whenever the user's files may have changed, to reload the list. */
  changes: number;
  /** Puts `@name` into the message. */
  onMention(name: string): void;
}

const CLOCK_INTERVAL_MS = 30_000;
/** A search and every order but the newest first need all files; more than these are loaded on demand. */
const SEARCH_STEP = 5_000;
const FIRST_QUERY: FileQuery = { sessionId: null, source: null, text: "", kind: null, order: "Newest" };

/** My Files: all files of the user, from uploads and from tools. */
export default function FilesPanel({ sessionId, changes, onMention }: FilesPanelProps) {
  const [query, setQuery] = useState(FIRST_QUERY);
  const [minCount, setMinCount] = useState(PAGE_SIZE);
  const [isWide, setIsWide] = useState(false);
  const countUploaded = () => listUploads().filter(({ state }) => state === "done").length;
  const uploadedCount = useSyncExternalStore(subscribeToUploads, countUploaded);
  const needsAll = query.text.trim() !== "" || query.kind !== null || query.order !== "Newest";
  const list = useFiles(query, `${changes}/${uploadedCount}`, needsAll ? Math.max(minCount, SEARCH_STEP) : minCount);
  const [deletedKeys, setDeletedKeys] = useState<ReadonlySet<string>>(new Set());
  const [sharedFile, setSharedFile] = useState<FileRecord | null>(null);
  const now = useNow();
  const visible = useMemo(() => {
    const isExpired = ({ expires_at }: FileRecord) => expires_at !== null && Date.parse(expires_at) / 1000 <= now;
    const present = list.files.filter((file) => !deletedKeys.has(file.file_key) && !isExpired(file));
    return sortFiles(findFiles(present, query.text, query.kind), query.order);
  }, [list.files, deletedKeys, now, query.text, query.kind, query.order]);
  const selection = useSelection(visible);
  const remove = (files: readonly FileRecord[]) => {
    selection.clear(); // after an undo, Delete must not mean all of these again
    setDeletedKeys((before) => new Set([...before, ...files.map(({ file_key }) => file_key)]));
    deleteWithUndo(files, (file, deleted) => {
      if (deleted) list.replace(file.file_key, null);
      setDeletedKeys((before) => new Set([...before].filter((key) => key !== file.file_key)));
    });
  };
  const actions = useStableActions({
    onMention: (name) => {
      setIsWide(false);
      onMention(name);
    },
    onKeep: (file) => list.replace(file.file_key, file),
    onShare: setSharedFile,
    onDelete: (file) => remove([file]),
    onToggle: (index, extend) => (extend ? selection.extendTo(index) : selection.toggle(index)),
  });
  const loadMore = useCallback(() => {
    if (list.hasMore) setMinCount(list.files.length + 1);
  }, [list.hasMore, list.files.length]);
  return (
    <section className={`files${isWide ? " wide" : ""}`} aria-label="My Files">
      <header className="files-head">
        <h2>My Files</h2>
        <button
          type="button"
          className="plain icon-button wide-only"
          aria-pressed={isWide}
          aria-label="Wide view"
          title="Wide view"
          onClick={() => setIsWide(!isWide)}
        >
          <Icon name="expand" />
        </button>
        <UploadButton sessionId={sessionId} />
      </header>
      <FileFilters query={query} sessionId={sessionId} onChange={setQuery} />
      <UnfinishedUploads reloadKey={uploadedCount} />
      {selection.files.length > 0 && (
        <SelectionBar selection={selection} onMention={actions.onMention} onDelete={() => remove(selection.files)} />
      )}
      {list.error && (
        <p role="alert">
          {list.error}{" "}
          <button type="button" onClick={list.reload}>
            Try again
          </button>
        </p>
      )}
      <FileList
        files={visible}
        selection={selection}
        now={now}
        busy={list.loading}
        actions={actions}
        onDelete={remove}
        onEnd={loadMore}
      />
      <footer className="files-foot faint">
        <span role="status">{describeCount(visible.length, list, needsAll)}</span>
        {needsAll && list.hasMore && !list.loading && (
          <button type="button" className="plain" onClick={() => setMinCount(list.files.length + SEARCH_STEP)}>
            Search older files
          </button>
        )}
        <QuotaSummary reloadKey={`${changes}/${uploadedCount}/${deletedKeys.size}`} />
      </footer>
      {sharedFile && <ShareDialog file={sharedFile} onClose={() => setSharedFile(null)} />}
    </section>
  );
}

function describeCount(count: number, { files, hasMore, loading, error }: ReturnType<typeof useFiles>, isSearch: boolean): string {
  if (error !== null) return "";
  const format = (value: number) => `${value.toLocaleString("en")}${hasMore ? "+" : ""} file${value === 1 ? "" : "s"}`;
  if (count === 0 && !loading) return isSearch || files.length > 0 ? "No files found." : "No files yet.";
  if (isSearch) return `${count.toLocaleString("en")} of ${format(files.length)}`;
  return loading && count === 0 ? "Loading…" : format(count);
}

/** Return actions that never change and always call the newest ones. */
function useStableActions(actions: FileActions): FileActions {
  const latest = useRef(actions);
  latest.current = actions;
  return useMemo(
    () => ({
      onMention: (name) => latest.current.onMention(name),
      onKeep: (file) => latest.current.onKeep(file),
      onShare: (file) => latest.current.onShare(file),
      onDelete: (file) => latest.current.onDelete(file),
      onToggle: (index, extend) => latest.current.onToggle(index, extend),
    }),
    [],
  );
}

/** Button that opens the browser's file picker and uploads the chosen files. */
function UploadButton({ sessionId }: { sessionId: string | null }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" className="upload" onClick={() => input.current?.click()}>
        <Icon name="plus" /> Upload
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
