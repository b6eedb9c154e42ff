import { useEffect } from "react";

import { api, unwrap } from "../api/client";
import type { Quotas } from "../api/types";
import { useSyncedState } from "../shared/useSyncedState";
import { describeQuotas } from "./quotas";

/** The user's quotas: the storage, and the others when opened. Reloaded when `reloadKey` changes. */
export function QuotaSummary({ reloadKey }: { reloadKey: unknown }) {
  const { value: quotas, readLatest } = useSyncedState<Quotas | null>(null);
  useEffect(() => {
    readLatest(unwrap(api.GET("/api/me")), (_, me) => me.quotas).catch(() => undefined); // the file list shows the error
  }, [reloadKey, readLatest]);
  if (quotas === null) return null;
  const { storage, others } = describeQuotas(quotas);
  return (
    <details className="quotas faint">
      <summary>{storage}</summary>
      <ul>
        {others.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  );
}
