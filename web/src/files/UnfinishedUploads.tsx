import { useEffect, useSyncExternalStore } from "react";

import { api, unwrap } from "../api/client";
import type { PendingUpload } from "../api/types";
import { formatSize } from "../shared/format";
import { withErrorToast } from "../shared/notifications";
import { useSyncedState } from "../shared/useSyncedState";
import { listUploads, subscribeToUploads } from "./upload/uploadStore";

/** Uploads that another page, or this page before a reload, left unfinished. Reloaded when `reloadKey` changes. */
export function UnfinishedUploads({ reloadKey }: { reloadKey: unknown }) {
  const { value: pending, update, readLatest } = useSyncedState<readonly PendingUpload[]>([]);
  const ownUploads = useSyncExternalStore(subscribeToUploads, listUploads);
  useEffect(() => {
    const request = unwrap(api.GET("/api/files/uploads", { params: { query: { limit: 20 } } }));
    readLatest(request, (_, { uploads }) => uploads).catch(() => undefined); // the file list shows the connection error
  }, [reloadKey, readLatest]);
  const isOwn = ({ name, size }: PendingUpload) => ownUploads.some(({ file }) => file.name === name && file.size === size);
  const unfinished = pending.filter((upload) => !isOwn(upload));
  const discard = async (upload_id: string) => {
    await withErrorToast(async () => {
      await unwrap(api.DELETE("/api/files/uploads/{upload_id}", { params: { path: { upload_id } } }));
      update((current) => current.filter((upload) => upload.upload_id !== upload_id));
    });
  };
  if (unfinished.length === 0) return null;
  return (
    <ul className="unfinished-uploads" aria-label="Unfinished uploads">
      {unfinished.map(({ upload_id, name, size }) => (
        <li key={upload_id}>
          <span>
            {name} ({formatSize(size)}) is not fully uploaded. Select the file again to resume.
          </span>
          <button type="button" aria-label={`Discard ${name}`} onClick={() => discard(upload_id)}>
            Discard
          </button>
        </li>
      ))}
    </ul>
  );
}
