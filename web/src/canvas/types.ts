/** Data that the chat passes to the canvas: what tools returned, in the order of arrival. */
import type { Artifact, Dashboard, Deferred, Display } from "../api/types";
import type { OpeningCall } from "../apps/openingCalls";

/** Displayable output of one call, or of a whole turn if it was loaded later. */
export interface ToolOutput {
  /** `{turn_id}/{call_id}`: the same whether the output arrived live or was loaded later. */
  id: string;
  turnId: string;
  artifacts: readonly Artifact[];
  deferred: readonly Deferred[];
  /** Resolved by the API: whether the canvas opens, with which file, and how (replace, append, split). */
  display: Display;
  dashboard: Dashboard | null;
  /** True if it arrived while the page was open; outputs of earlier turns never open the canvas. */
  live: boolean;
}

/** The user clicked the button of a file or dashboard. `nonce` differs for every click. */
export interface OpenRequest {
  turnId: string;
  output: OpenableOutput;
  nonce: number;
}

export type OpenableOutput = Artifact | Deferred | Dashboard;

export interface CanvasProps {
  /** Empty before the first message. */
  sessionId: string;
  outputs: readonly ToolOutput[];
  openingCalls: readonly OpeningCall[];
  openRequest: OpenRequest | null;
  open: boolean;
  setOpen(open: boolean): void;
}
