/** Export of a chat: as Markdown, as the JSON of the API, or with its files in a ZIP archive. */
import { api, unwrap } from "../api/client";
import type { FileRecord, Session, TurnOut } from "../api/types";
import { branchesOf } from "../chat/branches";
import { fetchContent } from "../canvas/content";
import { texts } from "../texts";

export type ExportFormat = "md" | "json" | "zip";

const PAGE_SIZE = 100;
const MIME: Record<ExportFormat, string> = { md: "text/markdown", json: "application/json", zip: "application/zip" };

/** Download the chat. Throws ApiError, or Error if a file cannot be read. */
export async function exportChat(session: Session, format: ExportFormat): Promise<void> {
  const turns = await fetchTurns(session.session_id);
  const title = session.title || texts.sessions.new;
  const content = format === "zip" ? await toZip(session, turns, title) : toText(session, turns, title, format);
  download(new Blob([content], { type: MIME[format] }), `${toFileName(title)}.${format}`);
}

function toText(session: Session, turns: readonly TurnOut[], title: string, format: "md" | "json"): string {
  return format === "md" ? toMarkdown(title, newestBranch(turns)) : JSON.stringify({ ...session, turns }, null, 2);
}

/** Markdown has no branches. JSON has all turns, and which turn follows which. */
function newestBranch(turns: readonly TurnOut[]): readonly TurnOut[] {
  return branchesOf(
    turns.map((turn) => ({ ...turn, turnId: turn.turn_id })),
    null,
    false,
  ).shown;
}

/** Return the messages and answers under headings; a chat without an answer yet ends with its message. */
export function toMarkdown(title: string, turns: readonly Pick<TurnOut, "message" | "answer" | "created_at">[]): string {
  const { you, assistant } = texts.export;
  const sections = turns.flatMap(({ message, answer, created_at: at }) => [
    `## ${you} · ${at.slice(0, 16).replace("T", " ")}`,
    message,
    ...(answer ? [`## ${assistant}`, answer] : []),
  ]);
  return [`# ${title}`, ...sections].join("\n\n") + "\n";
}

/** Replace what file systems do not accept in names. */
export function toFileName(title: string): string {
  return title.replaceAll(/[\s\p{Cc}\\/:*?"<>|]+/gu, " ").trim().slice(0, 80).replace(/^\.+/, "") || "chat";
}

async function toZip(session: Session, turns: readonly TurnOut[], title: string): Promise<Blob> {
  const { downloadZip } = await import("client-zip");
  const files = await fetchFiles(session.session_id);
  async function* entries() {
    yield { name: "chat.md", input: toText(session, turns, title, "md") };
    yield { name: "chat.json", input: toText(session, turns, title, "json") };
    for (const file of files) {
      const { download_url: url } = await unwrap(api.GET("/api/files/{file_key}", { params: { path: { file_key: file.file_key } } }));
      const { response } = await fetchContent(toExportedUrl(file, url ?? ""), file.size, file.size);
      yield { name: `files/${toExportedName(file)}`, input: response, lastModified: new Date(file.created_at) };
    }
  }
  return await downloadZip(entries()).blob();
}

/** An app works in this page only, so an export has its still: a static page with the result of its tool. */
export function toExportedName({ name, viewer }: Pick<FileRecord, "name" | "viewer">): string {
  return viewer === "app" ? name.replace(/(\.app)?\.html$/, ".still.html") : name;
}

function toExportedUrl({ viewer }: FileRecord, url: string): string {
  return viewer === "app" ? `${url}&still=true` : url;
}

async function fetchTurns(sessionId: string): Promise<TurnOut[]> {
  return await fetchAll(async (cursor) => {
    const params = { path: { session_id: sessionId }, query: { limit: PAGE_SIZE, ...cursor } };
    const page = await unwrap(api.GET("/api/sessions/{session_id}", { params }));
    return { items: page.turns, cursor: page.cursor };
  });
}

async function fetchFiles(sessionId: string): Promise<FileRecord[]> {
  return await fetchAll(async (cursor) => {
    const page = await unwrap(api.GET("/api/files", { params: { query: { limit: PAGE_SIZE, session_id: sessionId, ...cursor } } }));
    return { items: page.files, cursor: page.cursor };
  });
}

async function fetchAll<T>(fetchPage: (cursor: { cursor?: string }) => Promise<{ items: T[]; cursor?: string | null | undefined }>): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | null | undefined = ""; cursor !== null && cursor !== undefined; ) {
    const page = await fetchPage(cursor ? { cursor } : {});
    items.push(...page.items);
    cursor = page.cursor;
  }
  return items;
}

function download(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser may still read it
}
