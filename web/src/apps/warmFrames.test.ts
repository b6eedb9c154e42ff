import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { rightsOf, rightsWithout } from "./rights";
import type { FrameRights } from "./sandboxFrame";
import { takeFrame, warmFrame } from "./warmFrames";

const ORIGIN = "https://apps.example";
const POLICY = { connect_domains: [], resource_domains: [], frame_domains: [], base_uri_domains: [] };

/** A place for frames in a document without layout. */
class Place {
  children: Frame[] = [];

  append(frame: Frame): void {
    frame.parent?.drop(frame);
    frame.parent = this;
    this.children.push(frame);
    frame.loads += 1;
  }

  moveBefore(frame: Frame): void {
    frame.parent?.drop(frame);
    frame.parent = this;
    this.children.push(frame);
  }

  drop(frame: Frame): void {
    this.children = this.children.filter((one) => one !== frame);
  }
}

class Frame {
  parent: Place | null = null;
  loads = 0;
  hidden = false;
  allow = "";
  src = "";
  referrerPolicy = "";
  attributes: Record<string, string> = {};
  contentWindow = {};

  setAttribute(name: string, value: string): void {
    this.attributes[name] = value;
  }

  remove(): void {
    this.parent?.drop(this);
  }

  /** Everything that decides what the frame may do. */
  get rights() {
    const { attributes, allow, src, referrerPolicy } = this;
    return { attributes, allow, src, referrerPolicy };
  }
}

let body: Place;
let call = 0;
let ids: string[];

beforeEach(() => {
  body = new Place();
  ids = [`c${(call += 1)}`, `c${(call += 1)}`];
  vi.stubGlobal("document", { body, createElement: () => new Frame() });
  vi.stubGlobal("location", { origin: "https://chat.example" });
  vi.stubGlobal("addEventListener", vi.fn());
  vi.stubGlobal("removeEventListener", vi.fn());
});

afterEach(() => void vi.unstubAllGlobals());

function warm(id: string, rights: FrameRights): AbortController {
  const end = new AbortController();
  warmFrame(id, rights, end.signal);
  return end;
}

function take(id: string | null, rights: FrameRights): { frame: Frame; place: Place } {
  const place = new Place();
  takeFrame(id, rights, place as unknown as Element);
  expect(place.children).toHaveLength(1);
  return { frame: place.children[0] as Frame, place };
}

const [id, other] = [() => ids[0] as string, () => ids[1] as string];
const plain = () => rightsWithout(ORIGIN);

test("the app of a call takes the frame of its call, which does not load again", () => {
  warm(id(), plain());
  const [frame] = body.children;
  expect(frame?.hidden).toBe(true);
  expect(take(id(), plain()).frame).toBe(frame);
  expect(frame).toMatchObject({ hidden: false, loads: 1 });
  expect(body.children).toEqual([]);
});

test("a frame that has been loading has the same rights as another one", () => {
  warm(id(), plain());
  const early = take(id(), plain()).frame;
  const late = take(id(), plain()).frame;
  expect(early).not.toBe(late);
  expect(early.rights).toEqual(late.rights);
  expect(early.rights).toMatchObject({ attributes: { sandbox: "allow-scripts allow-same-origin allow-forms" }, allow: "" });
});

test("the app of another call does not take the frame", () => {
  warm(id(), plain());
  const [frame] = body.children;
  expect(take(other(), plain()).frame).not.toBe(frame);
  expect(take(null, plain()).frame).not.toBe(frame);
  expect(body.children).toEqual([frame]);
  expect(take(id(), plain()).frame).toBe(frame);
});

test("a frame is taken once", () => {
  warm(id(), plain());
  const { frame, place } = take(id(), plain());
  expect(take(id(), plain()).frame).not.toBe(frame);
  expect(place.children).toEqual([frame]);
});

test("no frame loads for an app that has one", () => {
  take(id(), plain());
  warm(id(), plain());
  expect(body.children).toEqual([]);
});

test.each([
  ["domains", () => rightsOf({ policy: { ...POLICY, connect_domains: ["https://api.example"] }, writes_clipboard: false }, ORIGIN)],
  ["the clipboard", () => rightsOf({ policy: POLICY, writes_clipboard: true }, ORIGIN)],
  ["another origin", () => rightsWithout("https://other.example")],
])("an app that declares %s gets a frame of its own", (_, rights) => {
  warm(id(), plain());
  const [frame] = body.children;
  const taken = take(id(), rights()).frame;
  expect(taken).not.toBe(frame);
  expect(taken.rights).not.toEqual(frame?.rights);
  expect(body.children).toEqual([]);
});

test("a frame with fewer rights is not taken by an app that declares nothing, nor one with more", () => {
  const more = rightsOf({ policy: { ...POLICY, resource_domains: ["https://cdn.example"] }, writes_clipboard: true }, ORIGIN);
  warm(id(), more);
  const taken = take(id(), plain()).frame;
  expect(taken.allow).toBe("");
  expect(taken.src).not.toContain("cdn.example");
  expect(body.children).toEqual([]);
});

test("the frame for the known rights of an app takes the place of the first one", () => {
  const end = warm(id(), plain());
  const rights = rightsOf({ policy: POLICY, writes_clipboard: true }, ORIGIN);
  warmFrame(id(), rights, end.signal);
  expect(body.children).toHaveLength(1);
  const [frame] = body.children;
  expect(frame?.allow).toBe("clipboard-write");
  expect(take(id(), rights).frame).toBe(frame);
});

test("a frame that no app takes is removed at the signal, and a taken one is not", () => {
  const end = warm(id(), plain());
  const otherEnd = warm(other(), plain());
  const { frame, place } = take(other(), plain());
  expect(body.children).toHaveLength(1);
  end.abort();
  otherEnd.abort();
  expect(body.children).toEqual([]);
  expect(place.children).toEqual([frame]);
  expect(take(id(), plain()).frame.loads).toBe(1);
});

test("no frame loads after the signal", () => {
  warmFrame(id(), plain(), AbortSignal.abort());
  expect(body.children).toEqual([]);
});

test("no frame loads early in a browser that would load it again", () => {
  vi.stubGlobal("document", { body: { append: body.append }, createElement: () => new Frame() });
  warm(id(), plain());
  expect(body.children).toEqual([]);
  expect(take(id(), plain()).frame.loads).toBe(1);
});
