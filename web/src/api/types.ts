/** The API's generated types, under the names that the page uses. */
import type { EventPage, IntermediateUpdate } from "./schema";

export type {
  AppPolicy,
  ApprovalRequest,
  CanvasUpdate,
  Config,
  FileOut as FileRecord,
  FilesUpdate,
  FinalResponse,
  Form,
  LinkWithUrl as NewShareLink,
  LinkOut as ShareLink,
  OfferedFile,
  OpenApp,
  Prompt,
  QuotaReport as Quotas,
  Resource,
  ResourceTemplate,
  ResponseArtifact as Artifact,
  ResponseCanvas as Dashboard,
  ResponseDeferred as Deferred,
  ResponseDisplay as Display,
  SessionOut as Session,
  ToolCallSummary,
  ToolServer,
  ToolSpec as Tool,
  TurnError,
  TurnOut,
  UploadOut as PendingUpload,
} from "./schema";

export type TurnEvent = EventPage["events"][number];
export type Update = IntermediateUpdate;
