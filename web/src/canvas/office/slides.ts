/** Texts, tables and pictures of the slides of a presentation. Needs the DOM, for its XML parser. */
import { strFromU8 } from "fflate";

import type { Entries } from "./archive";

export interface Slide {
  title: string;
  parts: readonly SlidePart[];
  /** Notes of the speaker, one text for each paragraph. */
  notes: readonly string[];
}

export type SlidePart =
  | { kind: "text"; paragraphs: readonly Paragraph[] }
  | { kind: "table"; rows: readonly (readonly string[])[] }
  | { kind: "picture"; bytes: Uint8Array<ArrayBuffer>; mime: string; description: string }
  /** A chart, a diagram or another object that is not shown. */
  | { kind: "omitted"; name: string };

export interface Paragraph {
  text: string;
  /** Indentation in a list; 0 is the outermost. */
  level: number;
}

export interface Presentation {
  slides: readonly Slide[];
  /** Number of all slides. */
  count: number;
}

const MAX_SLIDES = 300;
const MAX_LEVEL = 8;
const TITLES = new Set(["title", "ctrTitle"]);
/** Placeholders that repeat on each slide. */
const REPEATED = new Set(["dt", "ftr", "sldNum"]);
const PICTURES: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  bmp: "image/bmp",
  webp: "image/webp",
  svg: "image/svg+xml",
};

/** Read the slides in their order. Throws if the entries are not those of a presentation. */
export function readPresentation(entries: Entries): Presentation {
  const archive = new Archive(entries);
  const path = "ppt/presentation.xml";
  const presentation = archive.parse(path);
  if (presentation === null) throw new Error("This is not a presentation.");
  const links = archive.relationsOf(path);
  const paths = all(presentation, "sldId").flatMap((id) => links.get(idOf(id, "id"))?.path ?? []);
  return { slides: paths.slice(0, MAX_SLIDES).map((each) => readSlide(archive, each)), count: paths.length };
}

interface Relation {
  type: string;
  path: string;
}

/** XML files and the relations between them. */
class Archive {
  constructor(private readonly entries: Entries) {}

  /** Return the root of an XML file; null if there is none. */
  parse(path: string): Element | null {
    const bytes = this.bytes(path);
    if (!bytes) return null;
    const root = new DOMParser().parseFromString(strFromU8(bytes), "application/xml").documentElement;
    return root.querySelector("parsererror") ? null : root;
  }

  bytes(path: string): Uint8Array<ArrayBuffer> | undefined {
    return Object.hasOwn(this.entries, path) ? (this.entries[path] as Uint8Array<ArrayBuffer>) : undefined;
  }

  /** Return the files that a file refers to, by their ids in it. References to other sites are left out. */
  relationsOf(path: string): Map<string, Relation> {
    const root = this.parse(path.replace(/([^/]+)$/, "_rels/$1.rels"));
    const inside = root ? all(root, "Relationship").filter((one) => one.getAttribute("TargetMode") !== "External") : [];
    return new Map(
      inside.map((one) => [
        one.getAttribute("Id") ?? "",
        {
          type: one.getAttribute("Type")?.split("/").at(-1) ?? "",
          path: new URL(one.getAttribute("Target") ?? "", `zip:///${path}`).pathname.slice(1),
        },
      ]),
    );
  }
}

function readSlide(archive: Archive, path: string): Slide {
  const root = archive.parse(path);
  const links = archive.relationsOf(path);
  const tree = root && all(root, "spTree")[0];
  const shapes = tree ? shapesOf(tree) : [];
  const title = shapes.find((shape) => TITLES.has(placeholderOf(shape)));
  const others = shapes.filter((shape) => shape !== title && !REPEATED.has(placeholderOf(shape)));
  const notes = [...links.values()].find(({ type }) => type === "notesSlide");
  return {
    title: title ? paragraphsOf(title).map(({ text }) => text).join(" ") : "",
    parts: others.flatMap((shape) => readShape(shape, archive, links)),
    notes: notes ? readNotes(archive, notes.path) : [],
  };
}

/** Return the shapes of a tree and of its groups, in order. */
function shapesOf(tree: Element): Element[] {
  return [...tree.children].flatMap((shape) => (shape.localName === "grpSp" ? shapesOf(shape) : [shape]));
}

function readShape(shape: Element, archive: Archive, links: Map<string, Relation>): SlidePart[] {
  switch (shape.localName) {
    case "sp": {
      const paragraphs = paragraphsOf(shape);
      return paragraphs.length > 0 ? [{ kind: "text", paragraphs }] : [];
    }
    case "pic":
      return [readPicture(shape, archive, links)];
    case "graphicFrame": {
      const table = all(shape, "tbl")[0];
      return [table ? { kind: "table", rows: readTable(table) } : { kind: "omitted", name: nameOf(shape) }];
    }
    default:
      return [];
  }
}

function readPicture(shape: Element, archive: Archive, links: Map<string, Relation>): SlidePart {
  const blip = all(shape, "blip")[0];
  const path = (blip && links.get(idOf(blip, "embed"))?.path) ?? "";
  const [bytes, mime] = [archive.bytes(path), PICTURES[path.split(".").at(-1)?.toLowerCase() ?? ""]];
  const description = all(shape, "cNvPr")[0]?.getAttribute("descr") || nameOf(shape);
  return bytes && mime ? { kind: "picture", bytes, mime, description } : { kind: "omitted", name: description };
}

function readTable(table: Element): string[][] {
  const textOf = (cell: Element) => paragraphsOf(cell).map(({ text }) => text).join("\n");
  return all(table, "tr").map((row) => all(row, "tc").map(textOf));
}

function readNotes(archive: Archive, path: string): string[] {
  const root = archive.parse(path);
  const body = root && all(root, "sp").find((shape) => placeholderOf(shape) === "body");
  return body ? paragraphsOf(body).map(({ text }) => text) : [];
}

/** Return the paragraphs with text. */
function paragraphsOf(shape: Element): Paragraph[] {
  const toParagraph = (paragraph: Element): Paragraph => ({
    text: [...paragraph.getElementsByTagName("*")].map(toText).join("").trim(),
    level: Math.min(MAX_LEVEL, Number(all(paragraph, "pPr")[0]?.getAttribute("lvl") ?? 0)),
  });
  return all(shape, "p").map(toParagraph).filter(({ text }) => text !== "");
}

function toText({ localName, textContent }: Element): string {
  if (localName === "t") return textContent ?? "";
  return localName === "br" ? "\n" : "";
}

/** Return the type of the placeholder that a shape fills; empty for none. */
function placeholderOf(shape: Element): string {
  const placeholder = all(shape, "ph")[0];
  return placeholder ? (placeholder.getAttribute("type") ?? "body") : "";
}

function nameOf(shape: Element): string {
  return all(shape, "cNvPr")[0]?.getAttribute("name") ?? "";
}

/** Return an attribute with the id of a relation, whatever its prefix. */
function idOf(element: Element, name: string): string {
  return [...element.attributes].find((one) => one.localName === name && one.prefix !== null)?.value ?? "";
}

/** Return the descendants with a name, in any namespace. */
function all(root: Element, localName: string): Element[] {
  return [...root.getElementsByTagNameNS("*", localName)];
}
