import { type KeyboardEvent, type PointerEvent, useEffect, useState } from "react";
import { texts } from "../texts";

const STORAGE_KEY = "satchel.canvas-share";
const MIN = 25;
const MAX = 75;
const DEFAULT = 52;
const STEP = 2;

/** Separator that changes the canvas's share of the space beside the sidebar: by dragging, arrows, Home and End. */
export function ResizeHandle() {
  const [share, setShare] = useState(readShare);
  useEffect(() => {
    document.documentElement.style.setProperty("--chat-share", `${100 - share}fr`);
    document.documentElement.style.setProperty("--canvas-share", `${share}fr`);
  }, [share]);
  const change = (value: number) => {
    const changed = Math.round(Math.min(MAX, Math.max(MIN, value)));
    localStorage.setItem(STORAGE_KEY, String(changed));
    setShare(changed);
  };
  const onPointerMove = ({ currentTarget, pointerId, clientX }: PointerEvent<HTMLElement>) => {
    if (!currentTarget.hasPointerCapture(pointerId)) return;
    const canvas = currentTarget.parentElement?.getBoundingClientRect();
    const chat = currentTarget.parentElement?.previousElementSibling?.getBoundingClientRect();
    if (canvas && chat) change((100 * (canvas.right - clientX)) / (canvas.right - chat.left));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowLeft: share + STEP, ArrowRight: share - STEP, Home: MAX, End: MIN, Enter: DEFAULT }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    change(next);
  };
  return (
    <div
      className="resize-handle"
      role="separator"
      aria-orientation="vertical"
      aria-label={texts.canvas.width}
      aria-controls="canvas"
      aria-valuemin={MIN}
      aria-valuemax={MAX}
      aria-valuenow={share}
      tabIndex={0}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        event.preventDefault(); // otherwise dragging selects text
      }}
      onPointerMove={onPointerMove}
      onDoubleClick={() => change(DEFAULT)}
      onKeyDown={onKeyDown}
    />
  );
}

function readShare(): number {
  const stored = Number(localStorage.getItem(STORAGE_KEY));
  return stored >= MIN && stored <= MAX ? stored : DEFAULT;
}
