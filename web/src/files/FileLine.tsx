import { useState } from "react";

import { api, ask } from "../api/client";
import type { FileOut } from "../api/types";
import { DownloadButton } from "../canvas/DownloadButton";
import { itemOfFile } from "../canvas/item";
import { showFile } from "../canvas/show";
import { tellingErrors } from "../shared/errors";
import { size } from "../shared/format";
import { PausableButton } from "../shared/PausableButton";
import { toast } from "../shared/toasts";
import { leaving } from "./expiry";
import { factsOf } from "./facts";

interface FileLineProps {
  file: FileOut;
  now: number;
  onMention(): void;
  onKept(file: FileOut): void;
  onShare(): void;
  onDelete(): void;
}

/** A file: what it is, where it comes from, how long it stays, and what can be done with it. */
export function FileLine({ file, now, onMention, onKept, onShare, onDelete }: FileLineProps) {
  const goes = leaving(file, now);
  const facts = [file.source, size(file.size), factsOf(file.info), file.category].filter(Boolean).join(" · ");
  const said = (what: string) => `${what} ${file.name}`;
  return (
    <li className="file">
      <span className="file-top">
        <button type="button" className="plain file-name" title={file.name} onClick={() => showFile(file)}>
          {file.name}
        </button>
        <button type="button" className="plain" aria-label={said("Mention")} onClick={onMention}>
          @
        </button>
      </span>
      <span className="faint">{facts}</span>
      {goes && <span className="file-goes">{goes}</span>}
      {file.status && <span className="file-goes">{file.status}</span>}
      {goes && <KeepButton file={file} onKept={onKept} />}
      <details className="file-more">
        <summary aria-label={said("More for")}>More</summary>
        <DownloadButton item={itemOfFile(file)} says={said("Download")} />
        <button type="button" aria-label={said("Share")} onClick={onShare}>
          Share
        </button>
        <button type="button" aria-label={said("Delete")} onClick={onDelete}>
          Delete
        </button>
      </details>
    </li>
  );
}

function KeepButton({ file, onKept }: { file: FileOut; onKept(file: FileOut): void }) {
  const [busy, setBusy] = useState(false);
  const keep = async () => {
    setBusy(true);
    await tellingErrors(async () => {
      const path = { file_key: file.file_key };
      onKept(await ask(api.POST("/api/files/{file_key}/keep", { params: { path } })));
      toast(`${file.name} stays.`);
    });
    setBusy(false);
  };
  return (
    <PausableButton aria-label={`Keep ${file.name}`} paused={busy} onClick={keep}>
      Keep
    </PausableButton>
  );
}
