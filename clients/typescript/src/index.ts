/**
 * The client of Satchel for TypeScript, in browsers and Node.
 *
 * `Client` has all operations. The functions below it are its parts, for pages that load only what they use.
 * Imports point one way: client → session | files → turn | upload | download → followTurn → eventSocket → transport.
 */
export { Client, type ClientOptions } from "./client.js";
export { type DownloadOptions, downloadFile } from "./download.js";
export { ApiError, noConnection, toApiError } from "./errors.js";
export { type FileFilter, Files } from "./files.js";
export { type FollowOptions, followTurn } from "./followTurn.js";
export { type AskOptions, Session } from "./session.js";
export {
  type AuthHeaders,
  createTransport,
  type RequestOptions,
  type Transport,
  type TransportOptions,
  UNAUTHORIZED,
  unwrap,
} from "./transport.js";
export { Turn } from "./turn.js";
export type * from "./types.js";
export { PutError, type UploadOptions, uploadFile } from "./upload.js";
