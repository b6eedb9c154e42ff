import { memo, useState } from "react";

import { api, unwrap } from "../api/client";
import type { FileRecord } from "../api/types";
import { DownloadButton } from "../canvas/DownloadButton";
import { itemFromFile } from "../canvas/item";
import { showFile } from "../canvas/showFile";
import { Button } from "../shared/Button";
import { DateTime } from "../shared/DateTime";
import { formatSize } from "../shared/format";
import { Icon } from "../shared/Icon";
import { toast, withErrorToast } from "../shared/notifications";
import { describeContents, describeExpiry, describeSource, formatAge } from "./describeFile";
import Thumbnail from "./Thumbnail";
import { Versions } from "./Versions";

/** Actions on a file of the list; they stay the same for the life of the list, so that rows need not render again. */
export interface FileActions {
  onMention(name: string): void;
  onKeep(file: FileRecord): void;
  onShare(file: FileRecord): void;
  onDelete(file: FileRecord): void;
  onToggle(index: number, extend: boolean): void;
}

interface FileRowProps {
  file: FileRecord;
  index: number;
  selected: boolean;
  /** Current time in seconds since 1970. */
  now: number;
  actions: FileActions;
}

/** A file of the list in one line: picture, name, size, date; below it, why a deferred file waits. */
export const FileRow = memo(({ file, index, selected, now, actions }: FileRowProps) => {
  const expiry = describeExpiry(file, now);
  const details = [describeSource(file), formatSize(file.size), describeContents(file.info), file.category];
  const label = (action: string) => `${action} ${file.name}`;
  return (
    <div className="file" data-selected={selected || undefined}>
      <span className="file-picture">
        <Thumbnail file={file} />
        <input
          type="checkbox"
          aria-label={label("Select")}
          checked={selected}
          onClick={(event) => actions.onToggle(index, event.shiftKey)}
          readOnly
        />
      </span>
      <button type="button" className="plain file-name" title={file.name} onClick={() => showFile(file)}>
        {file.name}
      </button>
      <span className="file-facts faint">
        <span className="file-contents">{describeContents(file.info)}</span>
        <span className="file-size">{formatSize(file.size)}</span>
        <time dateTime={file.created_at} title={new Date(file.created_at).toLocaleString()}>
          {formatAge(file.created_at, now)}
        </time>
      </span>
      <button type="button" className="plain icon-button file-mention" aria-label={label("Mention")} title="Mention" onClick={() => actions.onMention(file.name)}>
        <Icon name="mention" />
      </button>
      <details className="file-actions">
        <summary aria-label={label("More actions for")} title="More">
          <Icon name="more" />
        </summary>
        <div className="file-details">
          <p className="faint">{details.filter(Boolean).join(" · ")}</p>
          {file.description && <p>{file.description}</p>}
          <Versions fileKey={file.file_key} name={file.name} version={file.version} />
          <div className="row">
            <DownloadButton item={itemFromFile(file)} ariaLabel={label("Download")} />
            <button type="button" aria-label={label("Share")} onClick={() => actions.onShare(file)}>
              Share
            </button>
            <button type="button" aria-label={label("Delete")} onClick={() => actions.onDelete(file)}>
              Delete
            </button>
          </div>
        </div>
      </details>
      {(expiry || file.status) && (
        <div className="file-status">
          <Deferral file={file} />
          {expiry && (
            <div className="row">
              <span>
                {expiry}
                {file.expires_at && (
                  <>
                    {" · "}
                    <DateTime at={file.expires_at} />
                  </>
                )}
              </span>
              <KeepButton file={file} onKeep={actions.onKeep} />
            </div>
          )}
        </div>
      )}
    </div>
  );
});

/** Why a file waits for the user, and what the user can do. */
function Deferral({ file: { name, status, reason, next_actions: steps } }: { file: FileRecord }) {
  return (
    <>
      {status && (
        <p>
          Waiting for you: {status}
          {reason && reason !== status && ` (${reason})`}
        </p>
      )}
      {steps.length > 0 && (
        <ul aria-label={`Next steps for ${name}`}>
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ul>
      )}
    </>
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
