/** What the chat gives the canvas: what tools made to be looked at, in the order in which it came. */
import type { Artifact, Dashboard, Deferred, Display } from "../api/types";

/** What one call (or, read again later, one turn) made. */
export interface Made {
  /** The same thing has the same id, live or read again: `{turn_id}/{call_id}`. */
  id: string;
  turnId: string;
  artifacts: readonly Artifact[];
  deferred: readonly Deferred[];
  /** Resolved by the API: whether the canvas opens, with which file, and how (replace, append, split). */
  display: Display;
  dashboard: Dashboard | null;
  /** It came while the page looked on; what is read of earlier turns opens nothing by itself. */
  live: boolean;
}

/** Somebody pressed a file's button. `nonce` differs with every press. */
export interface Asked {
  turnId: string;
  fileKey: string;
  nonce: number;
}

export interface CanvasProps {
  /** Empty before the first message. */
  sessionId: string;
  made: readonly Made[];
  asked: Asked | null;
  open: boolean;
  setOpen(open: boolean): void;
}
