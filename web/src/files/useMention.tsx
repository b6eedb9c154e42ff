import { type RefObject, useEffect, useMemo, useState } from "react";

import { api, unwrap } from "../api/client";
import type { Resource } from "../api/types";
import { onLoaded } from "../shared/onLoaded";
import { type Options, useOptions } from "../shared/useOptions";
import { completeMention, findMention, matchNames } from "./mentions";

const MAX_OPTIONS = 8;

interface MentionProps {
  area: RefObject<HTMLTextAreaElement | null>;
  text: string;
  /** Receives the whole text and the new caret. */
  setText(text: string, caret: number): void;
  sessionId: string | null;
  onResource(resource: Resource): void;
}

/** Completes file names while the user types `@…`, and offers the resources of servers. */
export function useMention({ area, text, setText, sessionId, onResource }: MentionProps): Options {
  const caret = area.current?.selectionStart ?? text.length;
  const mention = findMention(text, Math.min(caret, text.length));
  const query = mention?.query ?? null;
  const names = useFileNames(query, sessionId);
  const resources = useResources(query !== null);
  const { start } = mention ?? { start: 0 };
  const files = matchNames(names, query ?? "", MAX_OPTIONS).map((name) => ({
    key: name,
    label: name,
    choose: () => setText(...completeMention(text, { start, query: query ?? "" }, caret, name)),
  }));
  const offered = matchResources(resources, query ?? "").map((resource) => ({
    key: `${resource.server} ${resource.uri}`,
    label: resource.title ?? resource.name,
    detail: resource.server,
    choose: () => {
      setText(text.slice(0, start) + text.slice(caret), start);
      onResource(resource);
    },
  }));
  return useOptions("Your files and resources", query, [...files, ...offered].slice(0, MAX_OPTIONS));
}

/** Return the resources whose name, title or address contains the query. */
function matchResources(resources: readonly Resource[], query: string): Resource[] {
  const needle = query.toLowerCase();
  return resources.filter(({ name, title, uri }) => `${name} ${title ?? ""} ${uri}`.toLowerCase().includes(needle));
}

/** Return the names of the user's newest files, followed by those that start with the query. */
function useFileNames(query: string | null, sessionId: string | null): string[] {
  const [newest, setNewest] = useState<string[]>([]);
  const [matching, setMatching] = useState<string[]>([]);
  const isActive = query !== null;
  useEffect(() => {
    if (isActive) return onLoaded(fetchNames({ limit: 100 }), setNewest);
  }, [isActive, sessionId]);
  useEffect(() => {
    if (query) return onLoaded(fetchNames({ limit: 20, name_prefix: query }), setMatching);
  }, [query]);
  return useMemo(() => [...newest, ...matching], [newest, matching]);
}

async function fetchNames(query: { limit: number; name_prefix?: string }): Promise<string[]> {
  const page = await unwrap(api.GET("/api/files", { params: { query } }));
  return page.files.map((file) => file.name);
}

/** Return the first 100 resources of all servers. */
function useResources(isActive: boolean): readonly Resource[] {
  const [resources, setResources] = useState<readonly Resource[]>([]);
  useEffect(() => {
    if (isActive) return onLoaded(unwrap(api.GET("/api/resources")), (page) => setResources(page.resources));
  }, [isActive]);
  return resources;
}
