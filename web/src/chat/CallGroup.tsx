import { useLayoutEffect, useRef, useState } from "react";
import { formatDuration } from "../shared/format";
import { texts } from "../texts";
import { canFold, totalDuration } from "./callGroups";
import type { ToolCall } from "./toolCall";
import { ToolCallView } from "./ToolCallView";

interface CallGroupProps {
  calls: readonly ToolCall[];
  turnPath: { session_id: string; turn_id: string };
  onCancel(): void;
}

/** Tool calls that follow each other, one line each. When several are done, they fold into one line. */
export function CallGroup({ calls, turnPath, onCancel }: CallGroupProps) {
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(true);
  const isFoldable = canFold(calls);
  useLayoutEffect(() => {
    const isInUse = list.current?.contains(document.activeElement) || list.current?.querySelector("details[open]");
    setOpen(!isFoldable || Boolean(isInUse));
  }, [isFoldable]);
  const duration = totalDuration(calls);
  return (
    <div className="calls">
      {calls.length > 1 && (
        <button type="button" className="plain calls-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {texts.call.group(calls.length)}
          {duration !== null && ` · ${formatDuration(duration)}`}
        </button>
      )}
      <div ref={list} hidden={!isOpen}>
        {calls.map((call) => (
          <ToolCallView key={call.callId} call={call} turnPath={turnPath} onCancel={onCancel} />
        ))}
      </div>
    </div>
  );
}
