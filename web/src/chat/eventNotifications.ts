/** Toasts and screen reader announcements for the events of a running turn. */
import type { TurnEvent } from "../api/types";
import { announce, toast } from "../shared/notifications";
import { describeProblems } from "./metaData";
import { texts } from "../texts";

export function notifyOfEvent(event: TurnEvent): void {
  switch (event.type) {
    case "intermediate_update":
      if (event.update_type === "notification") toast(event.message);
      if (event.update_type === "files_update") announce(texts.turn.filesCreated(event.files.length));
      break;
    case "tool_notice":
      announce(event.message);
      break;
    case "tool_complete": {
      const count = describeProblems(event.meta_data ?? {}).length;
      if (count > 0) announce(texts.turn.problems(event.tool, count));
      break;
    }
    case "tool_approval_request":
      announce(texts.turn.needsApproval(event.tool));
      break;
    case "input_requested":
      announce(texts.turn.asks(event.tool, event.message));
      break;
    case "response_complete":
      announce(texts.turn.answerComplete);
      break;
    case "turn_failed":
      announce(event.error.message);
      break;
  }
}
