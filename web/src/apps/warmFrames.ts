/**
 * Frames that load while the tools of their apps run, hidden and without a page. The app of the same call takes the frame
 * if it has the very rights with which the frame was made. Otherwise it gets another one.
 */
import { type FrameRights, SandboxFrame } from "./sandboxFrame";

type MovableParent = Element & { moveBefore?(node: Node, child: Node | null): void };

const frames = new Map<string, SandboxFrame>();

/** The calls whose apps have a frame. What is learned late about such an app needs no other one. */
const served = new Set<string>();

/** Load a frame for the app of a call, in place of one with other rights. It is removed at the signal, if no app has taken it. */
export function warmFrame(callId: string, rights: FrameRights, signal: AbortSignal): void {
  const before = frames.get(callId);
  const isNeeded = !served.has(callId) && (!before || !haveSameRights(before.rights, rights));
  // Only with this method does a frame that moves in the document not load again.
  if (!isNeeded || signal.aborted || !("moveBefore" in document.body)) return;
  before?.remove();
  const frame = SandboxFrame.open(rights, document.body);
  frame.element.hidden = true;
  frames.set(callId, frame);
  signal.addEventListener("abort", () => {
    if (frames.get(callId) !== frame) return;
    frames.delete(callId);
    frame.remove();
  });
}

/** Return the frame for the app of a call as the last child of `parent`: the one that has been loading, or a new one. */
export function takeFrame(callId: string | null, rights: FrameRights, parent: MovableParent): SandboxFrame {
  const warm = callId === null ? undefined : frames.get(callId);
  if (callId !== null) {
    frames.delete(callId);
    served.add(callId);
  }
  if (!warm || !parent.moveBefore || !haveSameRights(warm.rights, rights)) {
    warm?.remove();
    return SandboxFrame.open(rights, parent);
  }
  parent.moveBefore(warm.element, null);
  warm.element.hidden = false;
  return warm;
}

function haveSameRights(one: FrameRights, other: FrameRights): boolean {
  return one.origin === other.origin && one.policy === other.policy && one.writesClipboard === other.writesClipboard;
}
