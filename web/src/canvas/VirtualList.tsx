import { type ReactNode, type UIEvent, useCallback, useLayoutEffect, useRef, useState } from "react";

import { getOffset, getVirtualWindow } from "./virtualWindow";

interface VirtualListProps {
  count: number;
  /** In pixels. */
  rowHeight: number;
  label: string;
  className: string;
  /** Header that stays above the rows. */
  head?: ReactNode;
  /** Renders the rows from `from` up to, not including, `to`. */
  children(from: number, to: number): ReactNode;
  /** Called when other rows become visible. */
  onWindowChange?(from: number, to: number): void;
}

/**
 * List that renders only the visible rows. Not a library, because those fail above some hundred thousand rows: browsers
 * limit an element to about 16 million pixels, so this list scales the scroll position instead.
 */
export function VirtualList({ count, rowHeight, label, className, head, children, onWindowChange }: VirtualListProps) {
  const container = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState({ top: 0, height: 0 });
  const measure = useCallback((element: HTMLDivElement) => {
    setScroll({ top: element.scrollTop, height: element.clientHeight });
  }, []);
  useLayoutEffect(() => {
    const element = container.current;
    if (!element) return;
    measure(element);
    const observer = new ResizeObserver(() => measure(element));
    observer.observe(element);
    return () => observer.disconnect();
  }, [measure]);
  const view = getVirtualWindow(count, rowHeight, scroll.top, scroll.height);
  useLayoutEffect(() => onWindowChange?.(view.from, view.to), [onWindowChange, view.from, view.to]);
  return (
    <div
      className={`virtual-list ${className}`}
      ref={container}
      tabIndex={0}
      role="region"
      aria-label={label}
      onScroll={(event: UIEvent<HTMLDivElement>) => measure(event.currentTarget)}
    >
      {head}
      <div className="virtual-list-content" style={{ height: view.height }}>
        <div className="virtual-list-rows" style={{ transform: `translateY(${getOffset(view, rowHeight)}px)` }}>
          {children(view.from, view.to)}
        </div>
      </div>
    </div>
  );
}
