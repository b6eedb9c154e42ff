import { useEffect, useState } from "react";

import { api, unwrap } from "../api/client";
import type { Prompt } from "../api/types";
import { onLoaded } from "../shared/onLoaded";
import { type Options, useOptions } from "../shared/useOptions";

const MAX_OPTIONS = 8;
const COMMAND = /^\/(\S*)$/;

/** Offers the prompts of servers while the message is `/…` without a space. */
export function usePrompts(text: string, onChoose: (prompt: Prompt) => void): Options {
  const query = COMMAND.exec(text)?.[1] ?? null;
  const [prompts, setPrompts] = useState<readonly Prompt[]>([]);
  const isActive = query !== null;
  useEffect(() => {
    if (isActive) return onLoaded(unwrap(api.GET("/api/prompts")), (page) => setPrompts(page.prompts));
  }, [isActive]);
  const needle = (query ?? "").toLowerCase();
  const matches = prompts.filter((prompt) => `${fullName(prompt)} ${prompt.title ?? ""}`.toLowerCase().includes(needle));
  const options = matches.slice(0, MAX_OPTIONS).map((prompt) => ({
    key: fullName(prompt),
    label: `/${fullName(prompt)}`,
    detail: prompt.title ?? prompt.description ?? "",
    choose: () => onChoose(prompt),
  }));
  return useOptions("Prompts", query, options);
}

export function fullName({ server, name }: Prompt): string {
  return `${server}.${name}`;
}
