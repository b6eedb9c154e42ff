/** What of a turn is said at once: as a short message, or to a screen reader. */
import type { TurnEvent } from "../api/types";
import { announce } from "../shared/announce";
import { toast } from "../shared/toasts";

export function tellNews(event: TurnEvent): void {
  switch (event.type) {
    case "intermediate_update":
      if (event.update_type === "notification") toast(event.message);
      if (event.update_type === "files_update") announce(filesIn(event.files.length));
      break;
    case "tool_notice":
      announce(event.message);
      break;
    case "tool_approval_request":
      announce(`${event.tool} waits for your approval.`);
      break;
    case "response_complete":
      announce("The answer is there.");
      break;
    case "turn_failed":
      announce(event.error.message);
      break;
  }
}

function filesIn(count: number): string {
  return count === 1 ? "A file was made." : `${count} files were made.`;
}
