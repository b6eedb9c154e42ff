/** What a call's `meta_data` says: problems that the user should know, and the tool's own facts. Pure. */
import { texts } from "../texts";

export type MetaData = Readonly<Record<string, unknown>>;

/** Fields of a failed call that its status line and its error message already show. */
const SHOWN_ELSEWHERE = new Set(["is_error", "error_code"]);

type Describe = (value: unknown) => string[] | null;

/** Sentences for the fields that Satchel adds. A value of another form is the tool's own: then the result is null. */
const PROBLEMS: Readonly<Record<string, Describe>> = {
  artifact_problems: (value) => describeEach(value, describeArtifactProblem),
  canvas_refused: (value) => (typeof value === "string" ? [describeRefusedCanvas(value)] : null),
  unresolved_files: (value) => (isRecord(value) ? Object.entries(value).map(describeUnresolvedFile) : null),
  security_violations: (value) => describeEach(value, describeViolation),
};

/** Return one sentence per problem: a file that was not stored or not found, a rejected dashboard, a blocked access. */
export function describeProblems(metaData: MetaData): string[] {
  return Object.entries(PROBLEMS).flatMap(([key, describe]) => describe(metaData[key]) ?? []);
}

/** Return the tool's own facts in its order, each with its value as text. */
export function listFacts(metaData: MetaData): [name: string, value: string][] {
  const isFact = ([key, value]: [string, unknown]) =>
    !SHOWN_ELSEWHERE.has(key) && !PROBLEMS[key]?.(value) && !(metaData.is_error === true && saysNothing(key, value));
  return Object.entries(metaData)
    .filter(isFact)
    .map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]);
}

/** Satchel adds the class of the error to a failed call, which says no more than its code, and details, which can be empty. */
function saysNothing(key: string, value: unknown): boolean {
  return key === "reason" || (key === "details" && isRecord(value) && Object.keys(value).length === 0);
}

/** A string among the entries is a note of Satchel, such as "and 5 more". */
function describeEach(value: unknown, describe: (entry: Record<string, unknown>) => string | null): string[] | null {
  if (!Array.isArray(value)) return null;
  const sentences = value.map((entry) => (typeof entry === "string" ? entry : isRecord(entry) ? describe(entry) : null));
  return sentences.every((sentence) => sentence !== null) ? sentences : null;
}

function describeRefusedCanvas(reason: string): string {
  return reason.startsWith("The dashboard") ? reason : texts.call.dashboardNotOpened(reason);
}

function describeArtifactProblem({ name, reason }: Record<string, unknown>): string | null {
  if (typeof name !== "string" || typeof reason !== "string") return null;
  return texts.call.notStored(name, reason);
}

function describeUnresolvedFile([name, similar]: [string, unknown]): string {
  const names = Array.isArray(similar) ? similar.map((one) => `“${one}”`) : [];
  const hint = names.length > 0 ? texts.call.similarNames(names.join(", ")) : "";
  return texts.call.unknownFile(name) + hint;
}

function describeViolation({ attempted_path, changed_path, allowed_prefix }: Record<string, unknown>): string | null {
  if (typeof attempted_path === "string") {
    return texts.call.blocked(attempted_path, String(allowed_prefix));
  }
  if (typeof changed_path === "string") return texts.call.changed(changed_path);
  return null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
