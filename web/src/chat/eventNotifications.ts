/** Toasts and screen reader announcements for the events of a running turn. */
import type { TurnEvent } from "../api/types";
import { announce, toast } from "../shared/notifications";
import { describeProblems } from "./metaData";

export function notifyOfEvent(event: TurnEvent): void {
  switch (event.type) {
    case "intermediate_update":
      if (event.update_type === "notification") toast(event.message);
      if (event.update_type === "files_update") announce(filesCreated(event.files.length));
      break;
    case "tool_notice":
      announce(event.message);
      break;
    case "tool_complete": {
      const count = describeProblems(event.meta_data ?? {}).length;
      if (count > 0) announce(`${event.tool} reports ${count === 1 ? "a problem" : `${count} problems`}.`);
      break;
    }
    case "tool_approval_request":
      announce(`${event.tool} needs your approval.`);
      break;
    case "input_requested":
      announce(`${event.tool} asks: ${event.message}`);
      break;
    case "response_complete":
      announce("Answer complete.");
      break;
    case "turn_failed":
      announce(event.error.message);
      break;
  }
}

function filesCreated(count: number): string {
  return count === 1 ? "1 file created." : `${count} files created.`;
}
