import { useEffect, useRef, useState } from "react";
import { advanceDrain, changeInterval, growDrain, MAX_INTERVAL_MS, openDrain, startDrain, takeCharacters } from "./drain";

const REDUCED_MOTION = "(prefers-reduced-motion: reduce)";

/**
 * Return what is shown of a text that streams: it grows evenly, though its pieces arrive in lumps. A text that has ended is
 * whole; so is every text if the user wants less motion.
 */
export function useSmoothText(text: string, isStreaming: boolean): string {
  const isSmooth = isStreaming && !matchMedia(REDUCED_MOTION).matches;
  const [first] = useState(() => (isSmooth ? openDrain : startDrain)(text.length, performance.now()));
  const [shown, setShown] = useState(() => text.slice(0, first.shown));
  const drain = useRef(first);
  const latest = useRef(text);
  useEffect(() => {
    const now = performance.now();
    // Another attempt of the model replaces the text.
    const isLonger = text.startsWith(latest.current);
    drain.current = isSmooth && isLonger ? growDrain(drain.current, text.length, now) : startDrain(text.length, now);
    latest.current = text;
    if (!isSmooth || !isLonger) return setShown(text);
    let changedAt = now;
    const onFrame = (time: number): void => {
      frame = requestAnimationFrame(onFrame);
      if (time - changedAt < changeInterval(text.length)) return;
      // After a pause of the page, the text grows on: it does not jump.
      drain.current = advanceDrain(drain.current, Math.min(time - changedAt, MAX_INTERVAL_MS));
      changedAt = time;
      setShown(takeCharacters(text, drain.current.shown));
      if (drain.current.shown >= text.length) cancelAnimationFrame(frame);
    };
    let frame = requestAnimationFrame(onFrame);
    return () => cancelAnimationFrame(frame);
  }, [text, isSmooth]);
  return isSmooth && text.startsWith(shown) ? shown : text;
}
