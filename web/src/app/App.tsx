import { lazy, Suspense, useState } from "react";
import type { Asked } from "../canvas/feed";
import { Toasts } from "../shared/toasts";

const Canvas = lazy(() => import("../canvas/Canvas"));
const Files = lazy(() => import("../files/Files"));

/** The frame: files and sessions on the left, the chat, and beside it what tools made. */
export function App() {
  const [open, setOpen] = useState(false);
  const asked: Asked | null = null;
  return (
    <div className="frame">
      <nav className="side" aria-label="Sessions and files">
        <Suspense>
          <Files sessionId={null} changes={0} onMention={() => undefined} />
        </Suspense>
      </nav>
      <main className="chat">
        <h1>Satchel</h1>
      </main>
      <Suspense>
        <Canvas sessionId="" made={[]} asked={asked} open={open} setOpen={setOpen} />
      </Suspense>
      <Toasts />
    </div>
  );
}
