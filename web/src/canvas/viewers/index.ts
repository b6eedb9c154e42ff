/** Which viewer shows which file: the first in the list that fits. A new kind is a module and a line. */
import { type ComponentType, lazy } from "react";

import type { Item } from "../item";
import "./viewers.css";

export interface ViewerProps {
  item: Item;
}

interface Viewer {
  name: string;
  fits(item: Item): boolean;
  View: ComponentType<ViewerProps>;
}

const HTML = new Set(["text/html", "application/xhtml+xml"]);
const TABLES = new Set(["text/csv", "text/tab-separated-values"]);
const TEXTS =
  /^(text\/.*|application\/(json|jsonl|x-ndjson|xml|yaml|x-yaml|toml|sql|javascript|ecmascript|x-javascript|x-sh|x-python|graphql|x-tex|x-httpd-php)|.*\+(json|xml|yaml))$/;

const is = (mime: string) => (item: Item) => item.mime === mime;
const named = (item: Item, ...endings: string[]) => endings.some((end) => item.name.toLowerCase().endsWith(end));

export const VIEWERS: readonly Viewer[] = [
  { name: "bibliography", fits: is("application/vnd.bibliography"), View: lazy(() => import("./Bibliography")) },
  { name: "graph", fits: is("application/vnd.knowledge-graph"), View: lazy(() => import("./Graph")) },
  {
    name: "table",
    fits: (item) => item.viewer !== "code" && (TABLES.has(item.mime) || isTableByName(item)),
    View: lazy(() => import("./Table")),
  },
  { name: "image", fits: by("image", (mime) => mime.startsWith("image/")), View: lazy(() => import("./Image")) },
  { name: "pdf", fits: by("pdf", (mime) => mime === "application/pdf"), View: lazy(() => import("./Pdf")) },
  { name: "html", fits: by("html", (mime) => HTML.has(mime)), View: lazy(() => import("./Html")) },
  { name: "audio", fits: by("audio", (mime) => mime.startsWith("audio/")), View: lazy(() => import("./Audio")) },
  { name: "video", fits: by("video", (mime) => mime.startsWith("video/")), View: lazy(() => import("./Video")) },
  {
    name: "markdown",
    fits: (item) => item.mime === "text/markdown" || (isText(item) && named(item, ".md", ".markdown")),
    View: lazy(() => import("./Markdown")),
  },
  { name: "code", fits: (item) => item.viewer === "code" || isText(item), View: lazy(() => import("./Code")) },
  { name: "download", fits: () => true, View: lazy(() => import("./Download")) },
];

/** Return the viewer of a file; the last in the list shows any. */
export function viewerOf(item: Item): Viewer {
  return VIEWERS.find((viewer) => viewer.fits(item)) as Viewer;
}

/** The API has resolved what the tool said and what the type says; the type is asked where it came to nothing. */
function by(viewer: string, ofMime: (mime: string) => boolean): (item: Item) => boolean {
  return (item) => item.viewer === viewer || (item.viewer === "auto" && ofMime(item.mime));
}

function isText(item: Item): boolean {
  return TEXTS.test(item.mime);
}

function isTableByName(item: Item): boolean {
  return named(item, ".csv", ".tsv") && (item.mime === "text/plain" || item.mime === "application/octet-stream");
}
