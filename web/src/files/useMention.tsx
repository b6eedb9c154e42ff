import { type RefObject, useEffect, useMemo, useState } from "react";

import { api, unwrap } from "../api/client";
import type { Resource, ResourceTemplate } from "../api/types";
import { onLoaded } from "../shared/onLoaded";
import { type Options, useOptions } from "../shared/useOptions";
import { completeMention, findMention, matchNames, matchOffers, readPages, templateCommand } from "./mentions";

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
  const { resources, templates } = useOffers(query !== null);
  const { start } = mention ?? { start: 0 };
  const files = matchNames(names, query ?? "", MAX_OPTIONS).map((name) => ({
    key: name,
    label: name,
    choose: () => setText(...completeMention(text, { start, query: query ?? "" }, caret, name)),
  }));
  const offered = matchOffers(resources, query ?? "", ({ uri }) => uri).map((resource) => ({
    key: `${resource.server} ${resource.uri}`,
    label: resource.title ?? resource.name,
    detail: resource.server,
    choose: () => {
      setText(text.slice(0, start) + text.slice(caret), start);
      onResource(resource);
    },
  }));
  // The command must begin the message, so templates are offered only if the mention is the whole text.
  const isAlone = mention !== null && (text.slice(0, start) + text.slice(caret)).trim() === "";
  const patterns = isAlone ? matchOffers(templates, query ?? "", ({ uri_template }) => uri_template) : [];
  const commands = patterns.map((template) => ({
    key: `${template.server} ${template.uri_template}`,
    label: template.title ?? template.name,
    detail: `${template.server}: ${template.uri_template}`,
    choose: () => setText(...templateCommand(template)),
  }));
  return useOptions("Your files and resources", query, [...files, ...offered, ...commands].slice(0, MAX_OPTIONS));
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

interface Offers {
  resources: readonly Resource[];
  templates: readonly ResourceTemplate[];
}

/** Return all resources and templates of the servers. */
function useOffers(isActive: boolean): Offers {
  const [offers, setOffers] = useState<Offers>({ resources: [], templates: [] });
  useEffect(() => {
    if (isActive) return onLoaded(fetchOffers(), setOffers);
  }, [isActive]);
  return offers;
}

async function fetchOffers(): Promise<Offers> {
  const pages = await readPages((cursor) =>
    unwrap(api.GET("/api/resources", { params: { query: cursor === null ? {} : { cursor } } })),
  );
  return {
    resources: pages.flatMap((page) => page.resources),
    templates: pages.flatMap((page) => page.templates),
  };
}
