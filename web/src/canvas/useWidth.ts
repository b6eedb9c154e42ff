import { type RefObject, useEffect, useState } from "react";

const RESIZE_DELAY_MS = 150;

/** Return the width for the content of an element in pixels, 0 at first; a change counts when it is over. */
export function useWidth(box: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new ResizeObserver(([entry]) => {
      const next = entry?.contentRect.width ?? 0;
      clearTimeout(timer);
      timer = setTimeout(() => setWidth(next), RESIZE_DELAY_MS);
      setWidth((before) => (before === 0 ? next : before));
    });
    observer.observe(element);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [box]);
  return width;
}
