import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import { type FocusEvent, type KeyboardEvent, useCallback, useEffect, useRef } from "react";

import type { FileRecord } from "../api/types";
import { type FileActions, FileRow } from "./FileRow";
import type { Selection } from "./useSelection";

interface FileListProps {
  files: readonly FileRecord[];
  selection: Selection;
  /** Current time in seconds since 1970. */
  now: number;
  busy: boolean;
  actions: FileActions;
  onDelete(files: readonly FileRecord[]): void;
  /** The user is near the end of the list. */
  onEnd(): void;
}

const ROW_HEIGHT = 46;
const OVERSCAN = 6;
const NEAR_END = 12;

/**
 * The visible rows of the file list. Arrows, Home and End move between files, with Shift they select; Ctrl+A selects all,
 * Delete deletes, Escape clears the selection.
 */
export function FileList({ files, selection, now, busy, actions, onDelete, onEnd }: FileListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const focused = useRef<number | null>(null);
  const virtualizer = useVirtualizer({
    count: files.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    getItemKey: (index) => files[index]?.file_key ?? index,
    rangeExtractor: useCallback((range: Range) => withFocused(range, focused.current), []),
  });
  const rows = virtualizer.getVirtualItems();
  const isNearEnd = (rows.at(-1)?.index ?? 0) >= files.length - NEAR_END;
  useEffect(() => {
    if (isNearEnd) onEnd();
  }, [isNearEnd, files.length, onEnd]);
  const focusRow = (index: number) => {
    focused.current = index;
    virtualizer.scrollToIndex(index);
    // The row exists after the next rendering.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const { activeElement } = document;
        if (activeElement !== document.body && !scroller.current?.contains(activeElement)) return; // the user has left the list
        scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] .file-name`)?.focus();
      }),
    );
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const index = indexOf(event.target);
    const handle = index === null ? undefined : keyHandlers(index, files, selection, focusRow, onDelete)[keyName(event)];
    if (!handle) return;
    event.preventDefault();
    handle();
  };
  return (
    <div className="file-scroller" ref={scroller}>
      <ul
        className="file-list"
        aria-label="Files"
        aria-busy={busy}
        style={{ height: virtualizer.getTotalSize() }}
        onKeyDown={onKeyDown}
        onFocus={(event: FocusEvent) => (focused.current = indexOf(event.target))}
        onBlur={() => (focused.current = null)}
      >
        {rows.map(({ index, key, start }) => {
          const file = files[index];
          return (
            file && (
              <li
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                aria-setsize={files.length}
                aria-posinset={index + 1}
                style={{ transform: `translateY(${start}px)` }}
              >
                <FileRow file={file} index={index} selected={selection.has(file)} now={now} actions={actions} />
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

/** Keep the row with the focus, wherever the list is scrolled to: a removed row would lose the focus. */
function withFocused(range: Range, focused: number | null): number[] {
  const indexes = defaultRangeExtractor(range);
  if (focused === null || focused >= range.count || indexes.includes(focused)) return indexes;
  return [...indexes, focused].sort((one, other) => one - other);
}

function indexOf(target: EventTarget): number | null {
  const row = target instanceof Element ? target.closest<HTMLElement>("[data-index]") : null;
  return row ? Number(row.dataset["index"]) : null;
}

function keyName({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent): string {
  const name = key.length === 1 ? key.toLowerCase() : key; // a letter is upper case with Caps Lock
  return `${ctrlKey || metaKey ? "Ctrl+" : ""}${shiftKey ? "Shift+" : ""}${name}`;
}

function keyHandlers(
  index: number,
  files: readonly FileRecord[],
  selection: Selection,
  focusRow: (index: number) => void,
  onDelete: (files: readonly FileRecord[]) => void,
): Record<string, (() => void) | undefined> {
  const last = files.length - 1;
  const current = files[index];
  const move = (to: number, select: boolean) => () => {
    const next = Math.min(last, Math.max(0, to));
    if (select) selection.extendTo(next, index);
    focusRow(next);
  };
  return {
    ArrowDown: move(index + 1, false),
    ArrowUp: move(index - 1, false),
    Home: move(0, false),
    End: move(last, false),
    "Shift+ArrowDown": move(index + 1, true),
    "Shift+ArrowUp": move(index - 1, true),
    "Ctrl+a": selection.selectAll,
    Delete: () => onDelete(selection.files.length > 0 ? selection.files : current ? [current] : []),
    Escape: selection.files.length > 0 ? selection.clear : undefined,
  };
}
