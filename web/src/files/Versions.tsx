import { type FocusEvent, type KeyboardEvent, useEffect, useState } from "react";

import { api, unwrap } from "../api/client";
import type { FileRecord } from "../api/types";
import { DownloadButton } from "../canvas/DownloadButton";
import { itemFromFile } from "../canvas/item";
import { showFile } from "../canvas/showFile";
import { DateTime } from "../shared/DateTime";
import { formatSize } from "../shared/format";
import { errorMessage } from "../shared/notifications";
import "./versions.css";

interface VersionsProps {
  fileKey: string;
  name: string;
  /** The version that is shown. */
  version: number;
  /** True if the list lies over other controls: then it closes on Escape, and when it loses the focus. */
  floating?: boolean;
}

/** Expands to the list of a file's versions, each to open or download. The list is loaded when it is expanded. */
export function Versions({ fileKey, name, version, floating = false }: VersionsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLDetailsElement>) => {
    if (floating && !currentTarget.contains(relatedTarget)) currentTarget.open = false;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDetailsElement>) => {
    if (!floating || event.key !== "Escape" || !event.currentTarget.open) return;
    event.preventDefault();
    event.currentTarget.open = false;
    event.currentTarget.querySelector("summary")?.focus();
  };
  return (
    <details
      className="versions"
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
      onBlur={onBlur}
      onKeyDown={onKeyDown}
    >
      <summary aria-label={`Version ${version} of ${name}, show all`}>Version {version}</summary>
      {isOpen && <VersionList key={fileKey} fileKey={fileKey} name={name} version={version} />}
    </details>
  );
}

function VersionList({ fileKey, name, version }: Omit<VersionsProps, "floating">) {
  const [versions, setVersions] = useState<readonly FileRecord[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const [status, setStatus] = useState("Loading…");
  const load = async (signal?: AbortSignal) => {
    const params = { path: { file_key: fileKey }, query: cursor ? { cursor } : {} };
    try {
      const page = await unwrap(api.GET("/api/files/{file_key}/versions", { params, ...(signal && { signal }) }));
      setVersions((before) => [...before, ...page.versions]);
      setCursor(page.cursor ?? null);
      setStatus("");
    } catch (failure) {
      if (!signal?.aborted) setStatus(errorMessage(failure));
    }
  };
  useEffect(() => {
    const controller = new AbortController();
    void load(controller.signal);
    return () => controller.abort();
  }, []);
  return (
    <>
      <ol aria-label={`Versions of ${name}`}>
        {versions.map((file) => (
          <VersionRow key={file.version} file={file} isShown={file.version === version} />
        ))}
      </ol>
      {status && <p role="status">{status}</p>}
      {cursor && (
        <button type="button" aria-label={`Show more versions of ${name}`} onClick={() => void load()}>
          Show more
        </button>
      )}
    </>
  );
}

function VersionRow({ file, isShown }: { file: FileRecord; isShown: boolean }) {
  const label = `version ${file.version} of ${file.name}`;
  return (
    <li aria-current={isShown || undefined}>
      <span>
        Version {file.version}
        <span className="faint">
          {" · "}
          {formatSize(file.size)}
          {" · "}
          <DateTime at={file.created_at} />
        </span>
      </span>
      <button type="button" aria-label={`Open ${label}`} onClick={() => showFile(file)}>
        Open
      </button>
      <DownloadButton item={itemFromFile(file)} ariaLabel={`Download ${label}`} />
    </li>
  );
}
