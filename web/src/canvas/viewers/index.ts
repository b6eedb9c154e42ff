/** Registry of viewers. To support another kind of file, add a module and an entry. */
import type { ComponentType } from "react";

import type { Item } from "../item";
import { onDemand } from "./onDemand";
import type { ViewerProps } from "./types";
import "./viewers.css";

interface Viewer {
  name: string;
  canShow(item: Item): boolean;
  View: ComponentType<ViewerProps>;
}

const HTML_MIMES = new Set(["text/html", "application/xhtml+xml"]);
const TABLE_MIMES = new Set(["text/csv", "text/tab-separated-values"]);
const TEXT_MIMES =
  /^(text\/.*|application\/(json|jsonl|x-ndjson|xml|yaml|x-yaml|toml|sql|javascript|ecmascript|x-javascript|x-sh|x-python|graphql|x-tex|x-httpd-php)|.*\+(json|xml|yaml))$/;

const OFFICE = "application/vnd.openxmlformats-officedocument.";

const hasMime = (mime: string) => (item: Item) => item.mime === mime;
const hasExtension = (item: Item, ...extensions: string[]) =>
  extensions.some((extension) => item.name.toLowerCase().endsWith(extension));

/** In order of precedence: the first viewer that can show a file is used. */
export const VIEWERS: readonly Viewer[] = [
  { name: "app", canShow: (item) => item.viewer === "app", View: onDemand(() => import("../../apps/AppViewer")) },
  { name: "bibliography", canShow: hasMime("application/vnd.bibliography"), View: onDemand(() => import("./Bibliography")) },
  { name: "graph", canShow: hasMime("application/vnd.knowledge-graph"), View: onDemand(() => import("./Graph")) },
  {
    name: "table",
    canShow: (item) =>
      ["data", "auto"].includes(item.viewer) && (TABLE_MIMES.has(item.mime) || isTableByExtension(item)),
    View: onDemand(() => import("./Table")),
  },
  { name: "document", canShow: byType(`${OFFICE}wordprocessingml.document`, ".docx"), View: onDemand(() => import("./Docx")) },
  { name: "workbook", canShow: byType(`${OFFICE}spreadsheetml.sheet`, ".xlsx"), View: onDemand(() => import("./Workbook")) },
  { name: "slides", canShow: byType(`${OFFICE}presentationml.presentation`, ".pptx"), View: onDemand(() => import("./Slides")) },
  { name: "image", canShow: byViewer("image", (mime) => mime.startsWith("image/")), View: onDemand(() => import("./Image")) },
  { name: "pdf", canShow: byViewer("pdf", (mime) => mime === "application/pdf"), View: onDemand(() => import("./Pdf")) },
  { name: "html", canShow: byViewer("html", (mime) => HTML_MIMES.has(mime)), View: onDemand(() => import("./Html")) },
  {
    name: "audio",
    canShow: byViewer("audio", (mime) => mime.startsWith("audio/")),
    View: onDemand(() => import("./Media").then(({ Audio }) => ({ default: Audio }))),
  },
  {
    name: "video",
    canShow: byViewer("video", (mime) => mime.startsWith("video/")),
    View: onDemand(() => import("./Media").then(({ Video }) => ({ default: Video }))),
  },
  {
    name: "markdown",
    canShow: (item) => item.mime === "text/markdown" || (isText(item) && hasExtension(item, ".md", ".markdown")),
    View: onDemand(() => import("./Markdown")),
  },
  { name: "code", canShow: (item) => item.viewer === "code" || isText(item), View: onDemand(() => import("./Code")) },
  { name: "download", canShow: () => true, View: onDemand(() => import("./Download")) },
];

/** Return the viewer for a file. There always is one: the last viewer accepts any file. */
export function findViewer(item: Item): Viewer {
  return VIEWERS.find((viewer) => viewer.canShow(item)) as Viewer;
}

/** Match the viewer that the API resolved; if it resolved none (`auto`), match the media type. */
function byViewer(viewer: string, matchesMime: (mime: string) => boolean): (item: Item) => boolean {
  return (item) => item.viewer === viewer || (item.viewer === "auto" && matchesMime(item.mime));
}

const UNSPECIFIC_MIMES = new Set(["application/octet-stream", "application/zip"]);

/** Match a media type or, if the file's type says nothing, the ending of its name. */
function byType(mime: string, extension: string): (item: Item) => boolean {
  return (item) => item.mime === mime || (UNSPECIFIC_MIMES.has(item.mime) && hasExtension(item, extension));
}

function isText(item: Item): boolean {
  return TEXT_MIMES.test(item.mime);
}

function isTableByExtension(item: Item): boolean {
  return hasExtension(item, ".csv", ".tsv") && (item.mime === "text/plain" || item.mime === "application/octet-stream");
}
