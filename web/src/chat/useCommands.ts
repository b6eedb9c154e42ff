import { useEffect, useState } from "react";

import { api, unwrap } from "../api/client";
import type { Prompt, Tool } from "../api/types";
import { firstLine, toWords } from "../tools/description";
import { onLoaded } from "../shared/onLoaded";
import { fieldsOfSchema } from "../tools/schemaFields";
import { type Option, type Options, useOptions } from "../shared/useOptions";
import { texts } from "../texts";
import { findOffers, fullName } from "./findOffers";

const MAX_OPTIONS = 30;
const COMMAND = /^\/(\S*)$/;

interface CommandHandlers {
  onPrompt(prompt: Prompt): void;
  onTool(tool: Tool): void;
}

/**
 * Offers the prompts and tools of servers while the message is `/…` without a space. The name of a tool that needs no
 * arguments is a whole message: nothing is offered, so Enter sends it.
 */
export function useCommands(text: string, { onPrompt, onTool }: CommandHandlers): Options {
  const query = COMMAND.exec(text)?.[1] ?? null;
  const [prompts, setPrompts] = useState<readonly Prompt[]>([]);
  const [tools, setTools] = useState<readonly Tool[]>([]);
  const isActive = query !== null;
  useEffect(() => {
    if (isActive) return onLoaded(unwrap(api.GET("/api/prompts")), (page) => setPrompts(page.prompts));
  }, [isActive]);
  useEffect(() => {
    if (isActive) return onLoaded(fetchTools(), setTools);
  }, [isActive]);
  const offers = [
    ...prompts.map((prompt) => ({ ...prompt, kind: "prompt", choose: () => onPrompt(prompt) })),
    ...tools.map((tool) => ({ ...tool, kind: "tool", choose: () => onTool(tool) })),
  ];
  const options = findOffers(offers, query ?? "").map((offer): Option => ({
    key: `${offer.kind} ${fullName(offer)}`,
    label: `/${fullName(offer)}`,
    detail: describeOffer(offer),
    choose: offer.choose,
  }));
  const isComplete = tools.some((tool) => fullName(tool) === query && !needsArguments(tool));
  return useOptions(texts.composer.commands, query, isComplete ? [] : options.slice(0, MAX_OPTIONS));
}

/** Return the title or the beginning of the description; null if it only repeats the name. */
function describeOffer({ name, title, description }: Pick<Tool, "name" | "title" | "description">): string | undefined {
  const [isTitleNew, line] = [title && toWords(title).toLowerCase() !== toWords(name).toLowerCase(), firstLine(description ?? "")];
  return (isTitleNew ? title : line) || undefined;
}

/** Return the tools that the user may call, of servers that are ready. */
export async function fetchTools(): Promise<readonly Tool[]> {
  const { servers } = await unwrap(api.GET("/api/tools"));
  return servers.flatMap(({ status, tools }) => (status === "ready" ? tools.filter((tool) => tool.for_model !== false) : []));
}

function needsArguments({ input_schema: schema }: Tool): boolean {
  return fieldsOfSchema(schema ?? {}).some((field) => field.isRequired);
}
