/** The API's own types by the names that the page uses. */
import type { EventPage, IntermediateUpdate } from "./schema";

export type {
  CanvasUpdate,
  Config,
  FileOut,
  FilesUpdate,
  FinalResponse,
  ResponseArtifact as Artifact,
  ResponseCanvas as Dashboard,
  ResponseDeferred as Deferred,
  ResponseDisplay as Display,
  SessionOut as Session,
  ToolCallSummary,
  TurnError,
  TurnOut,
} from "./schema";

export type TurnEvent = EventPage["events"][number];
export type Update = IntermediateUpdate;
