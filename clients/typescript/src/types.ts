/** The API's generated types, and names for unions of them. */
import type { EventPage, FileOut, ResponseArtifact, ResponseDeferred } from "./schema.js";

export type * from "./schema.js";

/** An event of a turn. `type` tells which, and for `intermediate_update` also `update_type`. */
export type TurnEvent = EventPage["events"][number];

/** The record of a file, or a file in the response of a turn. */
export type StoredFile = FileOut | ResponseArtifact | ResponseDeferred;
