import { useEffect, useState } from "react";

import { api, ask } from "../api/client";
import type { LinkMade, LinkOut } from "../api/schema";
import type { FileOut } from "../api/types";
import { Dialog } from "../shared/Dialog";
import { tellingErrors } from "../shared/errors";
import { toast } from "../shared/toasts";
import { useReading } from "../shared/useReading";

const HOUR = 3_600;
const TIMES = [
  { label: "1 hour", seconds: HOUR },
  { label: "8 hours", seconds: 8 * HOUR },
  { label: "24 hours", seconds: 24 * HOUR },
];

/** Make a link to a file that ends by itself, see those that live, end one. */
export function ShareDialog({ file, onClose }: { file: FileOut; onClose(): void }) {
  const [seconds, setSeconds] = useState(HOUR);
  const [made, setMade] = useState<LinkMade | null>(null);
  const { value: links, change, read } = useReading<readonly LinkOut[]>([]);
  const path = { file_key: file.file_key };
  useEffect(() => {
    const query = { file_key: file.file_key, limit: 20 };
    tellingErrors(() => read(ask(api.GET("/api/links", { params: { query } })), (_, { links: found }) => found));
  }, [file.file_key, read]);
  const make = () =>
    tellingErrors(async () => {
      const body = { ttl_seconds: seconds };
      const link = await ask(api.POST("/api/files/{file_key}/link", { params: { path }, body }));
      setMade(link);
      change((known) => [link, ...withoutLink(known, link.link_id)]);
    });
  const revoke = (link_id: string) =>
    tellingErrors(async () => {
      await ask(api.DELETE("/api/links/{link_id}", { params: { path: { link_id } } }));
      change((known) => withoutLink(known, link_id));
      if (made?.link_id === link_id) setMade(null);
    });
  return (
    <Dialog title={`Share ${file.name}`} onClose={onClose}>
      <p>Whoever has the link can fetch the file until the link ends.</p>
      <label>
        The link lives{" "}
        <select value={seconds} onChange={(event) => setSeconds(Number(event.target.value))}>
          {TIMES.map((time) => (
            <option key={time.seconds} value={time.seconds}>
              {time.label}
            </option>
          ))}
        </select>
      </label>{" "}
      <button type="button" onClick={make}>
        Make link
      </button>
      {made && (
        <p className="share-made">
          <input readOnly aria-label="Link" value={made.url} onFocus={(event) => event.target.select()} />
          <button type="button" onClick={() => copy(made.url)}>
            Copy
          </button>
        </p>
      )}
      {links.length > 0 && (
        <ul aria-label="Links that live">
          {links.map(({ link_id, expires_at }) => (
            <li key={link_id}>
              ends {new Date(expires_at).toLocaleString()}{" "}
              <button type="button" onClick={() => revoke(link_id)}>
                End now
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

function withoutLink(links: readonly LinkOut[], linkId: string): LinkOut[] {
  return links.filter(({ link_id }) => link_id !== linkId);
}

async function copy(text: string): Promise<void> {
  await tellingErrors(async () => {
    await navigator.clipboard.writeText(text);
    toast("The link is copied.");
  });
}
