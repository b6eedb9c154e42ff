import { type ReactNode, type UIEvent, useCallback, useLayoutEffect, useRef, useState } from "react";

import { placeOf, type Window, windowOf } from "./window";

interface RowsProps {
  count: number;
  rowHeight: number;
  label: string;
  className: string;
  /** What stands above the rows and stays there. */
  head?: ReactNode;
  /** Draws the rows from one to before another. */
  children(from: number, to: number): ReactNode;
  onWindow?(from: number, to: number): void;
}

/**
 * A list of which only what is seen is drawn. Own code, since the libraries for it end at some hundred thousand rows: a
 * browser allows no element to be higher than about 16 million pixels, so here the way of the scroll bar is shortened.
 */
export function Rows({ count, rowHeight, label, className, head, children, onWindow }: RowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState({ top: 0, height: 0 });
  const read = useCallback((element: HTMLDivElement) => {
    setScroll({ top: element.scrollTop, height: element.clientHeight });
  }, []);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    read(element);
    const watcher = new ResizeObserver(() => read(element));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [read]);
  const view: Window = windowOf(count, rowHeight, scroll.top, scroll.height);
  useLayoutEffect(() => onWindow?.(view.from, view.to), [onWindow, view.from, view.to]);
  return (
    <div
      className={`rows ${className}`}
      ref={box}
      tabIndex={0}
      role="region"
      aria-label={label}
      onScroll={(event: UIEvent<HTMLDivElement>) => read(event.currentTarget)}
    >
      {head}
      <div className="rows-all" style={{ height: view.height }}>
        <div className="rows-seen" style={{ transform: `translateY(${placeOf(view, rowHeight)}px)` }}>
          {children(view.from, view.to)}
        </div>
      </div>
    </div>
  );
}
