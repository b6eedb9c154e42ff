import type { CanvasProps } from "./feed";

/** What tools made, shown beside the chat. It is there as long as a session is, open or not. */
export default function Canvas({ open, setOpen }: CanvasProps) {
  if (!open) return null;
  return (
    <section className="canvas" aria-label="Canvas">
      <button type="button" onClick={() => setOpen(false)}>
        Close
      </button>
    </section>
  );
}
