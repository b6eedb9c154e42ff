/** Requests prompts and resources of servers. */
import { api, unwrap } from "../api/client";
import type { OfferedFile, Prompt, Resource } from "../api/types";

export interface PromptMessage {
  text: string;
  files: File[];
}

/** Return the message of a prompt. Empty values are arguments that are not given. */
export async function requestPrompt({ server, name }: Prompt, values: Record<string, string>): Promise<PromptMessage> {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
  const { text, files } = await unwrap(api.POST("/api/prompts", { body: { server, name, arguments: given } }));
  return { text, files: files.map(toFile) };
}

/** Return the content of a resource as files. */
export async function requestResource({ server, uri }: Resource): Promise<File[]> {
  const { files } = await unwrap(api.POST("/api/resources", { body: { server, uri } }));
  return files.map(toFile);
}

function toFile({ name, mime, b64 }: OfferedFile): File {
  return new File([Uint8Array.from(atob(b64), (char) => char.charCodeAt(0))], name, { type: mime });
}
