import { useState } from "react";

import { api, unwrap } from "../api/client";
import type { FileRecord } from "../api/types";
import { DownloadButton } from "../canvas/DownloadButton";
import { itemFromFile } from "../canvas/item";
import { showFile } from "../canvas/showFile";
import { Button } from "../shared/Button";
import { DateTime } from "../shared/DateTime";
import { DeferralDetails } from "../shared/DeferralDetails";
import { formatSize } from "../shared/format";
import { toast, withErrorToast } from "../shared/notifications";
import { describeContents, describeExpiry } from "./describeFile";
import { Versions } from "./Versions";

interface FileRowProps {
  file: FileRecord;
  /** Current time in seconds since 1970. */
  now: number;
  onMention(): void;
  onKeep(file: FileRecord): void;
  onShare(): void;
  onDelete(): void;
}

/** A file of the list: name, source, size, contents, expiry, and its actions. */
export function FileRow({ file, now, onMention, onKeep, onShare, onDelete }: FileRowProps) {
  const expiry = describeExpiry(file, now);
  const details = [file.source, formatSize(file.size), describeContents(file.info), file.category];
  const label = (action: string) => `${action} ${file.name}`;
  return (
    <li className="file">
      <span className="file-top">
        <button type="button" className="plain file-name" title={file.name} onClick={() => showFile(file)}>
          {file.name}
        </button>
        <button type="button" className="plain" aria-label={label("Mention")} onClick={onMention}>
          @
        </button>
      </span>
      <span className="faint">{details.filter(Boolean).join(" · ")}</span>
      <DeferralDetails file={file} />
      {expiry && (
        <span className="file-status">
          {expiry}
          {file.expires_at && (
            <>
              {" · "}
              <DateTime at={file.expires_at} />
            </>
          )}
        </span>
      )}
      {expiry && <KeepButton file={file} onKeep={onKeep} />}
      <details className="file-actions">
        <summary aria-label={label("More actions for")}>More</summary>
        <Versions fileKey={file.file_key} name={file.name} version={file.version} />
        <DownloadButton item={itemFromFile(file)} ariaLabel={label("Download")} />
        <button type="button" aria-label={label("Share")} onClick={onShare}>
          Share
        </button>
        <button type="button" aria-label={label("Delete")} onClick={onDelete}>
          Delete
        </button>
      </details>
    </li>
  );
}

function KeepButton({ file, onKeep }: { file: FileRecord; onKeep(file: FileRecord): void }) {
  const [busy, setBusy] = useState(false);
  const keep = async () => {
    setBusy(true);
    await withErrorToast(async () => {
      const path = { file_key: file.file_key };
      onKeep(await unwrap(api.POST("/api/files/{file_key}/keep", { params: { path } })));
      toast(`${file.name} won't expire anymore.`);
    });
    setBusy(false);
  };
  return (
    <Button aria-label={`Keep ${file.name}`} disabled={busy} onClick={keep}>
      Keep
    </Button>
  );
}
