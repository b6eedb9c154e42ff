import { useEffect, useState } from "react";

import { api, unwrap } from "../api/client";
import type { FileRecord, NewShareLink, ShareLink } from "../api/types";
import { Dialog } from "../shared/Dialog";
import { toast, withErrorToast } from "../shared/notifications";
import { useSyncedState } from "../shared/useSyncedState";

const HOUR_SECONDS = 3_600;
const LIFETIMES = [
  { label: "1 hour", seconds: HOUR_SECONDS },
  { label: "8 hours", seconds: 8 * HOUR_SECONDS },
  { label: "24 hours", seconds: 24 * HOUR_SECONDS },
];

/** Create an expiring link to a file, list the file's active links, revoke one. */
export function ShareDialog({ file, onClose }: { file: FileRecord; onClose(): void }) {
  const [seconds, setSeconds] = useState(HOUR_SECONDS);
  const [newLink, setNewLink] = useState<NewShareLink | null>(null);
  const { value: links, update, read } = useSyncedState<readonly ShareLink[]>([]);
  const path = { file_key: file.file_key };
  useEffect(() => {
    const query = { file_key: file.file_key, limit: 20 };
    withErrorToast(() => read(unwrap(api.GET("/api/links", { params: { query } })), (_, page) => page.links));
  }, [file.file_key, read]);
  const create = () =>
    withErrorToast(async () => {
      const body = { ttl_seconds: seconds };
      const link = await unwrap(api.POST("/api/files/{file_key}/link", { params: { path }, body }));
      setNewLink(link);
      update((current) => [link, ...withoutLink(current, link.link_id)]);
    });
  const revoke = (link_id: string) =>
    withErrorToast(async () => {
      await unwrap(api.DELETE("/api/links/{link_id}", { params: { path: { link_id } } }));
      update((current) => withoutLink(current, link_id));
      setNewLink((now) => (now?.link_id === link_id ? null : now));
    });
  return (
    <Dialog title={`Share ${file.name}`} onClose={onClose}>
      <p>
        {file.viewer === "app"
          ? "Anyone with the link can see a still of this app with the result of its tool until the link expires."
          : "Anyone with the link can download this file until the link expires."}
      </p>
      <label className="share-lifetime">
        Expires after{" "}
        <select value={seconds} onChange={(event) => setSeconds(Number(event.target.value))}>
          {LIFETIMES.map((lifetime) => (
            <option key={lifetime.seconds} value={lifetime.seconds}>
              {lifetime.label}
            </option>
          ))}
        </select>
      </label>{" "}
      <button type="button" onClick={create}>
        {links.length > 0 ? "Create another link" : "Create link"}
      </button>
      {newLink && (
        <p className="share-link">
          <input readOnly aria-label="Link" value={newLink.url} onFocus={(event) => event.target.select()} />
          <button type="button" onClick={() => copy(newLink.url)}>
            Copy link
          </button>
        </p>
      )}
      {links.length > 0 && <p className="faint">An address is shown only when its link is created, because Satchel does not keep it.</p>}
      {links.length > 0 && (
        <ul aria-label="Active links" className="share-links">
          {links.map(({ link_id, created_at, expires_at }) => (
            <li key={link_id}>
              <span>
                Created {formatTime(created_at, "medium")}, expires {formatTime(expires_at, "short")}
                {link_id === newLink?.link_id && " (the link above)"}
              </span>
              <button type="button" onClick={() => revoke(link_id)}>
                Revoke link
              </button>
            </li>
          ))}
        </ul>
      )}
      <form method="dialog" className="row end">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}

/** The second of its creation tells a link from others. */
function formatTime(at: string, timeStyle: "medium" | "short"): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: "short", timeStyle });
}

function withoutLink(links: readonly ShareLink[], linkId: string): ShareLink[] {
  return links.filter(({ link_id }) => link_id !== linkId);
}

async function copy(text: string): Promise<void> {
  await withErrorToast(async () => {
    await navigator.clipboard.writeText(text);
    toast("Link copied.");
  });
}
