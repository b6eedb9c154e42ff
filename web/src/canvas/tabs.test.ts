import { describe, expect, it } from "vitest";

import type { Artifact, Dashboard, Display } from "../api/types";
import type { Made } from "./feed";
import { openingOf } from "./opening";
import { closed, dashboardTab, isSplit, joined, left, NO_TABS, opened, restored, selected, split, titleOf } from "./tabs";

const DISPLAY: Display = { open_canvas: false, storage_action: "store" };

function file(name: string, more: Partial<Artifact> = {}): Artifact {
  const about = { id: name, type: "text/plain", title: name, position: 0, mime: "text/plain", size: 1, viewer: "code" };
  return { ...about, name, showable: true, auto_open: false, file_key: `f-${name}`, version: 1, ...more };
}

function board(id: string, more: Partial<Dashboard> = {}): Dashboard {
  return { id, url: "https://dash.example/", open: true, persistence: "session", type: "iframe", wants_token: false, ...more };
}

function made(more: Partial<Made>): Made {
  return { id: "t1/c1", turnId: "t1", artifacts: [], deferred: [], display: DISPLAY, dashboard: null, live: true, ...more };
}

const names = (one: Made) => openingOf("s1", one).tabs.map(titleOf);
const openOf = (...files: Artifact[]) =>
  openingOf("s1", made({ artifacts: files, display: { ...DISPLAY, open_canvas: true } })).tabs;
const titles = (state: { tabs: readonly Parameters<typeof titleOf>[0][] }) => state.tabs.map(titleOf);

describe("what a tool made", () => {
  const files = [file("data.bin", { showable: false }), file("a.txt"), file("b.txt")];

  it("opens nothing by itself where it is not to", () => {
    expect(names(made({ artifacts: files }))).toEqual([]);
  });

  it("opens the primary file first, the others behind it", () => {
    const display = { ...DISPLAY, open_canvas: true, primary_file: "b.txt" };
    expect(names(made({ artifacts: files, display }))).toEqual(["b.txt", "a.txt", "data.bin"]);
  });

  it("opens the first that can be shown where no file is the primary one", () => {
    const display = { ...DISPLAY, storage_action: "store_and_open" };
    expect(names(made({ artifacts: files, display }))).toEqual(["a.txt", "b.txt", "data.bin"]);
  });

  it("opens where one of its files asks for it", () => {
    const artifacts = [...files, file("c.txt", { auto_open: true })];
    const display = { ...DISPLAY, primary_file: "a.txt" }; // it would be the first, if the canvas were to open for it
    expect(names(made({ artifacts, display }))).toEqual(["c.txt", "a.txt", "b.txt", "data.bin"]);
  });

  it("opens its dashboard, in the mode that it asks for", () => {
    const opening = openingOf("s1", made({ dashboard: board("d", { mode: "split" }), display: { ...DISPLAY, mode: "append" } }));
    expect([opening.tabs.map(titleOf), opening.mode]).toEqual([["d"], "split"]);
    expect(names(made({ dashboard: board("d", { open: false }) }))).toEqual([]);
  });

  it("gives the hint of how to show it to the file that is shown first", () => {
    const display = { ...DISPLAY, open_canvas: true, primary_file: "x", viewer_hint: "html" };
    const [first, second] = openingOf("s1", made({ artifacts: [file("x", { viewer: "auto" }), file("y", { viewer: "auto" })], display })).tabs;
    expect([first, second].map((tab) => tab?.kind === "file" && tab.item.viewer)).toEqual(["html", "auto"]);
  });
});

describe("tabs", () => {
  const [a, b, c] = openOf(file("a"), file("b"), file("c"));
  if (!a || !b || !c) throw new Error("three tabs were opened");
  const d = dashboardTab(board("d"), "s1", "t1");

  it("are replaced by what comes, dashboards apart", () => {
    const state = opened(opened(NO_TABS, [d], "replace"), [a, b], "replace");
    expect(titles(opened(state, [c], "replace"))).toEqual(["d", "c"]);
    expect(opened(state, [c], "replace").active).toBe(c.key);
  });

  it("stand behind those that are there in the mode append", () => {
    const state = opened(opened(NO_TABS, [a, b], "replace"), [c], "append");
    expect([titles(state), state.active, state.beside]).toEqual([["a", "b", "c"], c.key, null]);
  });

  it("are shown beside the one that was looked at in the mode split", () => {
    const state = opened(opened(NO_TABS, [a, b], "replace"), [c], "split");
    expect([titles(state), state.active, state.beside]).toEqual([["a", "b", "c"], c.key, a.key]);
  });

  it("hold a file once: made again, it takes its own place", () => {
    const [again] = openOf(file("a", { version: 2 }));
    if (!again) throw new Error("none");
    const state = opened(opened(NO_TABS, [a, b], "replace"), [again], "append");
    expect(titles(state).sort()).toEqual(["a", "b"]);
    expect(state.active).toBe(again.key);
  });

  it("hold a dashboard once for its id, and keep it across answers until it is closed", () => {
    const newer = dashboardTab(board("d", { title: "Newer" }), "s1", "t2");
    const state = opened(opened(opened(NO_TABS, [d], "replace"), [a], "replace"), [newer], "append");
    expect(titles(state)).toEqual(["Newer", "a"]);
    expect(titles(closed(state, d.key))).toEqual(["a"]);
  });

  it("let a dashboard go with the next answer, or keep it beyond the session, as it asks", () => {
    const fleeting = dashboardTab(board("e", { persistence: "ephemeral" }), "s1", "t1");
    const pinned = dashboardTab(board("p", { persistence: "pinned" }), "s1", "t1");
    const state = opened(NO_TABS, [d, fleeting, pinned], "append");
    expect(titles(opened(state, [a], "replace"))).toEqual(["d", "p", "a"]);
    expect(titles(left(state))).toEqual(["p"]);
  });

  it("give way to the next one when they are closed", () => {
    const state = selected(opened(NO_TABS, [a, b, c], "replace"), b.key);
    expect(closed(state, b.key).active).toBe(c.key);
    expect(closed(closed(closed(state, b.key), c.key), a.key)).toEqual(NO_TABS);
  });

  it("are looked at two at a time, never one beside itself", () => {
    const state = split(opened(NO_TABS, [a, b], "replace"));
    expect([state.active, state.beside, isSplit(state)]).toEqual([a.key, b.key, true]);
    expect(isSplit(selected(state, b.key))).toBe(false);
    expect(isSplit(joined(state))).toBe(false);
    expect(isSplit(split(opened(NO_TABS, [a], "replace")))).toBe(false);
  });

  it("that were open before are there again without being looked at", () => {
    const state = restored(opened(NO_TABS, [a], "replace"), [d]);
    expect([titles(state), state.active]).toEqual([["a", "d"], a.key]);
    expect(restored(state, [d])).toEqual(state);
  });
});
