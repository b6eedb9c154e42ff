import { describe, expect, it } from "vitest";

import type { Artifact, Dashboard, Display, OpenApp } from "../api/types";
import { type CallFailure, itemFromTurn } from "./item";
import {
  closeTab,
  createDashboardTab,
  createFileTab,
  getTitle,
  isSplit,
  leaveSession,
  NO_TABS,
  openTabs,
  restoreTabs,
  selectTab,
  showTab,
  splitView,
  type TabsState,
  tabsToOpen,
  unsplitView,
} from "./tabs";
import type { ToolOutput } from "./types";

const DISPLAY: Display = {
  open_canvas: false,
  primary_file: null,
  mode: null,
  viewer_hint: null,
  storage_action: "store",
  category_hint: null,
  notification: null,
};

function artifact(name: string, overrides: Partial<Artifact> = {}): Artifact {
  const fields = { id: name, type: "text/plain", title: name, position: 0, mime: "text/plain", size: 1, viewer: "code" };
  const unknown = { category: null, description: null, content: null, language: null, metadata: null, download_url: null };
  return { ...fields, ...unknown, name, showable: true, auto_open: false, file_key: `f-${name}`, version: 1, ...overrides };
}

function dashboard(id: string, overrides: Partial<Dashboard> = {}): Dashboard {
  const fields = { url: "https://dash.example/", open: true, persistence: "session", type: "iframe", wants_token: false };
  return { id, title: null, mode: null, token: null, ...fields, ...overrides };
}

function output(overrides: Partial<ToolOutput>): ToolOutput {
  const fields = { artifacts: [], deferred: [], display: DISPLAY, dashboard: null, live: true };
  return { id: "t1/c1", turnId: "t1", ...fields, ...overrides };
}

const titlesToOpen = (each: ToolOutput) => titles(tabsToOpen("s1", each));
const tabsOfTurn = (turnId: string, ...artifacts: Artifact[]) =>
  tabsToOpen("s1", output({ turnId, artifacts, display: { ...DISPLAY, open_canvas: true } })).tabs;
const fileTabs = (...files: Artifact[]) => tabsOfTurn("t1", ...files);
/** The tab of an app whose call runs, or has failed. Its page is the file of an earlier call. */
const openingTab = (file: Artifact, failure: CallFailure | null = null) =>
  createFileTab({ ...itemFromTurn(file), opening: { app: {} as OpenApp, html: "", origin: "", failure } }, "t2", "t2/c1");
const titles = (state: Pick<TabsState, "tabs">) => state.tabs.map((tab) => getTitle(tab, state));

describe("tabsToOpen", () => {
  const files = [artifact("data.bin", { showable: false }), artifact("a.txt"), artifact("b.txt")];

  it("opens nothing if neither the display nor a file asks for it", () => {
    expect(titlesToOpen(output({ artifacts: files }))).toEqual([]);
  });

  it("opens the primary file first, then the others", () => {
    const display = { ...DISPLAY, open_canvas: true, primary_file: "b.txt" };
    expect(titlesToOpen(output({ artifacts: files, display }))).toEqual(["b.txt", "a.txt", "data.bin"]);
  });

  it("opens the first showable file first if there is no primary file", () => {
    const display: Display = { ...DISPLAY, storage_action: "store_and_open" };
    expect(titlesToOpen(output({ artifacts: files, display }))).toEqual(["a.txt", "b.txt", "data.bin"]);
  });

  it("opens all files if one has auto_open, that one first", () => {
    const artifacts = [...files, artifact("c.txt", { auto_open: true })];
    const display = { ...DISPLAY, primary_file: "a.txt" }; // would come first if the display opened the canvas
    expect(titlesToOpen(output({ artifacts, display }))).toEqual(["c.txt", "a.txt", "b.txt", "data.bin"]);
  });

  it("opens a dashboard in its own mode, unless the dashboard has open=false", () => {
    const splitDashboard = dashboard("d", { mode: "split" });
    const { tabs, mode } = tabsToOpen("s1", output({ dashboard: splitDashboard, display: { ...DISPLAY, mode: "append" } }));
    expect([titles({ tabs }), mode]).toEqual([["d"], "split"]);
    expect(titlesToOpen(output({ dashboard: dashboard("d", { open: false }) }))).toEqual([]);
  });

  it("follows the viewers of the response, which the API resolved from the viewer hint", () => {
    const display = { ...DISPLAY, open_canvas: true, primary_file: "x", viewer_hint: "pdf" };
    const artifacts = [artifact("x", { viewer: "html" }), artifact("y", { viewer: "auto" })];
    const { tabs } = tabsToOpen("s1", output({ artifacts, display }));
    expect(tabs.map((tab) => tab.kind === "file" && tab.item.viewer)).toEqual(["html", "auto"]);
  });
});

describe("tabs", () => {
  const [a, b, c] = fileTabs(artifact("a"), artifact("b"), artifact("c"));
  if (!a || !b || !c) throw new Error("expected three tabs");
  const d = createDashboardTab(dashboard("d"), "s1", "t1");

  it("replaces files but keeps dashboards in replace mode", () => {
    const state = openTabs(openTabs(NO_TABS, [d], "replace"), [a, b], "replace");
    const [next] = tabsOfTurn("t2", artifact("next"));
    if (!next) throw new Error("expected one tab");
    expect(titles(openTabs(state, [next], "replace"))).toEqual(["d", "next"]);
    expect(openTabs(state, [next], "replace").active).toBe(next.key);
  });

  it("keeps what another call of the same turn opened, in every mode", () => {
    const ephemeral = createDashboardTab(dashboard("e", { persistence: "ephemeral" }), "s1", "t1");
    const state = openTabs(openTabs(NO_TABS, [a, ephemeral], "replace"), [b], "replace");
    expect(titles(state)).toEqual(["a", "e", "b"]);
  });

  it("keeps other versions open when the user opens one, and selects it", () => {
    const [newer] = fileTabs(artifact("a", { version: 2 }));
    if (!newer) throw new Error("expected one tab");
    const state = showTab(showTab(openTabs(NO_TABS, [a, b], "replace"), newer), a);
    expect([titles(state), state.active]).toEqual([["a, version 1", "b", "a, version 2"], a.key]);
    expect(showTab(state, newer).tabs).toHaveLength(3);
  });

  it("distinguishes files of one title by their names, and dashboards by their ids", () => {
    const files = fileTabs(artifact("one.json", { title: "References" }), artifact("two.json", { title: "References" }));
    const boards = ["x", "y"].map((id) => createDashboardTab(dashboard(id, { title: "Live" }), "s1", "t1"));
    expect(titles({ tabs: [...files, ...boards, b] })).toEqual(["one.json", "two.json", "Live (x)", "Live (y)", "b"]);
  });

  it("keeps open files and selects the new one in append mode", () => {
    const state = openTabs(openTabs(NO_TABS, [a, b], "replace"), [c], "append");
    expect([titles(state), state.active, state.beside]).toEqual([["a", "b", "c"], c.key, null]);
  });

  it("shows the new file beside the selected one in split mode", () => {
    const state = openTabs(openTabs(NO_TABS, [a, b], "replace"), [c], "split");
    expect([titles(state), state.active, state.beside]).toEqual([["a", "b", "c"], c.key, a.key]);
  });

  it("replaces the tab of a file that has a newer version", () => {
    const [newer] = fileTabs(artifact("a", { version: 2 }));
    if (!newer) throw new Error("expected one tab");
    const state = openTabs(openTabs(NO_TABS, [a, b], "replace"), [newer], "append");
    expect(titles(state).sort()).toEqual(["a", "b"]);
    expect(state.active).toBe(newer.key);
  });

  it("keeps one tab per dashboard id across turns until it is closed", () => {
    const newer = createDashboardTab(dashboard("d", { title: "Newer" }), "s1", "t2");
    const state = openTabs(openTabs(openTabs(NO_TABS, [d], "replace"), [a], "replace"), [newer], "append");
    expect(titles(state)).toEqual(["Newer", "a"]);
    expect(titles(closeTab(state, d.key))).toEqual(["a"]);
  });

  it("closes ephemeral dashboards with the next turn and keeps pinned ones in other sessions", () => {
    const ephemeral = createDashboardTab(dashboard("e", { persistence: "ephemeral" }), "s1", "t1");
    const pinned = createDashboardTab(dashboard("p", { persistence: "pinned" }), "s1", "t1");
    const state = openTabs(NO_TABS, [d, ephemeral, pinned], "append");
    expect(titles(openTabs(state, tabsOfTurn("t2", artifact("a")), "replace"))).toEqual(["d", "p", "a"]);
    expect(titles(leaveSession(state))).toEqual(["p"]);
  });

  it("selects the next tab after the selected one is closed", () => {
    const state = selectTab(openTabs(NO_TABS, [a, b, c], "replace"), b.key);
    expect(closeTab(state, b.key).active).toBe(c.key);
    expect(closeTab(closeTab(closeTab(state, b.key), c.key), a.key)).toEqual(NO_TABS);
  });

  it("never shows a tab beside itself", () => {
    const state = splitView(openTabs(NO_TABS, [a, b], "replace"));
    expect([state.active, state.beside, isSplit(state)]).toEqual([a.key, b.key, true]);
    expect(isSplit(selectTab(state, b.key))).toBe(false);
    expect(isSplit(unsplitView(state))).toBe(false);
    expect(isSplit(splitView(openTabs(NO_TABS, [a], "replace")))).toBe(false);
  });

  it("restores tabs once, without selecting them", () => {
    const state = restoreTabs(openTabs(NO_TABS, [a], "replace"), [d]);
    expect([titles(state), state.active]).toEqual([["a", "d"], a.key]);
    expect(restoreTabs(state, [d])).toEqual(state);
  });

  it("restores the newest version of each file, whichever comes first", () => {
    const [first, second] = [1, 2].map((version) => fileTabs(artifact("x.html", { file_key: "x", version })));
    const keysOf = (state: TabsState) => state.tabs.map(({ key }) => key);
    const [newest] = second?.map(({ key }) => key) ?? [];
    for (const [one, other] of [[first, second], [second, first]]) {
      const state = restoreTabs(restoreTabs(NO_TABS, one ?? []), other ?? []);
      expect([keysOf(state), state.active]).toEqual([[newest], newest]);
    }
  });

  it("restores the dashboard of the latest turn, whichever comes first, and leaves it in its place", () => {
    const [first, second] = ["t1", "t2"].map((turnId) => createDashboardTab(dashboard("d", { title: turnId }), "s1", turnId));
    const after = (...dashboards: (typeof first)[]) =>
      dashboards.reduce((state, one) => restoreTabs(state, one ? [one] : []), openTabs(NO_TABS, [a], "replace"));
    expect(titles(after(first, second))).toEqual(["a", "t2"]);
    expect(titles(after(second, first))).toEqual(["a", "t2"]);
    expect(titles(restoreTabs(after(first), [...fileTabs(artifact("b")), ...(second ? [second] : [])]))).toEqual(["a", "t2", "b"]);
  });

  it.each([[1], [2]])("keeps the app of a running call when version %i of its file is restored or opened by another call", (version) => {
    const opening = openingTab(artifact("app.html", { file_key: "app" }));
    const others = tabsOfTurn("t2", artifact("app.html", { file_key: "app", version }));
    const keys = [opening, ...others].map(({ key }) => key);
    const open = openTabs(NO_TABS, [opening], "append");
    expect(restoreTabs(open, others).tabs.map(({ key }) => key)).toEqual(keys);
    expect(openTabs(open, others, "replace").tabs.map(({ key }) => key)).toEqual(keys);
  });

  it("gives the place of an app whose call has failed to the next app of its file", () => {
    const failed = openingTab(artifact("app.html", { file_key: "app" }), { message: "no", isResult: true });
    const next = tabsOfTurn("t3", artifact("app.html", { file_key: "app", version: 2 }));
    expect(openTabs(openTabs(NO_TABS, [failed], "append"), next, "append").tabs).toEqual(next);
  });
});
