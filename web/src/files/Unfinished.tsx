import { useEffect, useSyncExternalStore } from "react";

import { api, ask } from "../api/client";
import type { UploadOut } from "../api/schema";
import { tellingErrors } from "../shared/errors";
import { size } from "../shared/format";
import { useReading } from "../shared/useReading";
import { listUploads, onUploads } from "./upload/store";

/** Uploads that another page, or this one before it was loaded again, left unfinished. */
export function Unfinished({ occasion }: { occasion: unknown }) {
  const { value: left, change, read } = useReading<readonly UploadOut[]>([]);
  const own = useSyncExternalStore(onUploads, listUploads);
  useEffect(() => {
    read(ask(api.GET("/api/files/uploads", { params: { query: { limit: 20 } } })), (_, { uploads }) => uploads).catch(
      () => undefined, // the list of files says that there is no connection
    );
  }, [occasion, read]);
  const others = left.filter((one) => !own.some(({ file }) => file.name === one.name && file.size === one.size));
  const discard = async (upload_id: string) => {
    change((known) => known.filter((one) => one.upload_id !== upload_id));
    await tellingErrors(async () => {
      await ask(api.DELETE("/api/files/uploads/{upload_id}", { params: { path: { upload_id } } }));
    });
  };
  if (others.length === 0) return null;
  return (
    <ul className="unfinished" aria-label="Unfinished uploads">
      {others.map(({ upload_id, name, size: bytes }) => (
        <li key={upload_id}>
          <span>
            {name} ({size(bytes)}) was not sent to its end. Choose it again to go on.
          </span>
          <button type="button" aria-label={`Discard ${name}`} onClick={() => discard(upload_id)}>
            Discard
          </button>
        </li>
      ))}
    </ul>
  );
}
