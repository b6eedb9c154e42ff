/** Tabs of the canvas: which ones open automatically, their order, and which are visible. Pure. */
import type { Artifact, Dashboard } from "../api/types";
import { type CallFailure, type Item, itemFromTurn } from "./item";
import type { ToolOutput } from "./types";

export type Tab = FileTab | DashboardTab;

interface FileTab {
  key: string;
  kind: "file";
  item: Item;
  /** The turn whose output this is; null if it was opened from My Files. */
  turnId: string | null;
}

interface DashboardTab {
  key: string;
  kind: "dashboard";
  dashboard: Dashboard;
  sessionId: string;
  turnId: string;
}

export type Mode = "replace" | "append" | "split";

export interface TabsState {
  tabs: readonly Tab[];
  /** Key of the selected tab; null if there are no tabs. */
  active: string | null;
  /** Key of the tab that is shown beside the selected one, if any. */
  beside: string | null;
}

export const NO_TABS: TabsState = { tabs: [], active: null, beside: null };

/** Return the tab of one version of a file. `turnId` is null if no turn opens it. An app that opens has the id of its call. */
export function createFileTab(item: Item, turnId: string | null = null, callId?: string): Tab {
  return { key: callId ? toAppKey(callId) : `file:${item.fileKey}@${item.version}`, kind: "file", item, turnId };
}

function toAppKey(callId: string): string {
  return `app:${callId}`;
}

/** Return the tabs of a call's output. The app of the call takes the place of the one that opened when the call started. */
export function withOpeningApp(state: TabsState, added: readonly Tab[], callId: string): readonly Tab[] {
  const key = toAppKey(callId);
  if (!state.tabs.some((tab) => tab.key === key)) return added;
  return added.map((tab) => (tab.kind === "file" && tab.item.viewer === "app" ? { ...tab, key } : tab));
}

/** Tell open apps that their calls have failed. `failures` are those of the calls with these ids. */
export function withFailures(state: TabsState, failures: ReadonlyMap<string, CallFailure>): TabsState {
  const byTab = new Map([...failures].map(([id, failure]) => [toAppKey(id), failure]));
  const tabs = state.tabs.map((tab) => {
    const failure = byTab.get(tab.key);
    if (failure === undefined || tab.kind !== "file" || !tab.item.opening || tab.item.opening.failure !== null) return tab;
    return { ...tab, item: { ...tab.item, opening: { ...tab.item.opening, failure } } };
  });
  return tabs.some((tab, index) => tab !== state.tabs[index]) ? { ...state, tabs } : state;
}

export function createDashboardTab(dashboard: Dashboard, sessionId: string, turnId: string): Tab {
  return { key: `dashboard:${dashboard.id}`, kind: "dashboard", dashboard, sessionId, turnId };
}

/** Return the tabs that an output opens automatically, in order, and the mode to open them in. */
export function tabsToOpen(sessionId: string, output: ToolOutput): { tabs: Tab[]; mode: Mode } {
  const files = hasFilesToOpen(output) ? sortForDisplay(output) : [];
  const tabs = files.map((file) => createFileTab(itemFromTurn(file), output.turnId));
  const { dashboard } = output;
  // A dashboard comes first: the tool chose to open it, while the files may be by-products.
  if (dashboard?.open) tabs.unshift(createDashboardTab(dashboard, sessionId, output.turnId));
  return { tabs, mode: parseMode(dashboard?.mode) ?? parseMode(output.display.mode) ?? "replace" };
}

function hasFilesToOpen(output: ToolOutput): boolean {
  return displayOpensCanvas(output) || output.artifacts.some((file) => file.auto_open);
}

function displayOpensCanvas({ display }: ToolOutput): boolean {
  return display.open_canvas || display.storage_action === "store_and_open";
}

/** Sort: first the primary file or the one with `auto_open`, then files that a viewer can show, then the rest. */
function sortForDisplay(output: ToolOutput): Artifact[] {
  const { artifacts, display } = output;
  const rank = (file: Artifact) => {
    if (file.name === display.primary_file) return displayOpensCanvas(output) ? 0 : 2;
    if (file.auto_open) return 1;
    return file.showable ? 3 : 4;
  };
  return [...artifacts].sort((one, other) => rank(one) - rank(other));
}

function parseMode(mode: string | null | undefined): Mode | null {
  return mode === "replace" || mode === "append" || mode === "split" ? mode : null;
}

/**
 * Add the tabs of a call and select the first of them. `replace` closes the files of earlier turns, `append` keeps them,
 * `split` also keeps the selected one visible beside the new one. Dashboards stay open until the user closes them, and
 * no mode closes what another call of the same turn opened.
 */
export function openTabs(state: TabsState, added: readonly Tab[], mode: Mode): TabsState {
  const [first] = added;
  if (!first) return state;
  const closes = (tab: Tab) => mode === "replace" && !outlivesTurn(tab) && tab.turnId !== first.turnId;
  const remaining = state.tabs.filter((tab) => !closes(tab) || added.some((one) => one.key === tab.key));
  return normalize({ tabs: withTabs(remaining, added), active: first.key, beside: mode === "split" ? state.active : null });
}

/** Return the open tabs and those that are added, without the open ones that these replace. */
function withTabs(open: readonly Tab[], added: readonly Tab[]): readonly Tab[] {
  // An open tab keeps its place: a frame that moves in the document loads again.
  const updated = open.map((tab) => added.find((one) => one.key === tab.key) ?? tab);
  const appended = added.filter((one) => !open.some((tab) => tab.key === one.key));
  return [...updated.filter((tab) => added.includes(tab) || !added.some((one) => replaces(one, tab))), ...appended];
}

/** Select the tab that the user opened; every other tab stays open, even of another version of the same file. */
export function showTab(state: TabsState, requested: Tab): TabsState {
  const shown = { ...requested, key: state.tabs.find((tab) => isSameFile(tab, requested))?.key ?? requested.key };
  const isOpen = state.tabs.some((tab) => tab.key === shown.key);
  const tabs = isOpen ? state.tabs.map((tab) => (tab.key === shown.key ? shown : tab)) : [...state.tabs, shown];
  return normalize({ tabs, active: shown.key, beside: null });
}

/** Add tabs that were open before a reload, without selecting them. Of each file, only the newest version stays. */
export function restoreTabs(state: TabsState, restored: readonly Tab[]): TabsState {
  const added = restored.filter((one) => !state.tabs.some((tab) => replaces(tab, one)));
  return normalize({ ...state, tabs: withTabs(state.tabs, added) });
}

/** Select a tab. */
export function selectTab(state: TabsState, key: string): TabsState {
  return normalize({ ...state, active: key });
}

/** Close a tab. If it was selected, select the next one, or the previous one if it was the last. */
export function closeTab(state: TabsState, key: string): TabsState {
  const index = state.tabs.findIndex((tab) => tab.key === key);
  if (index < 0) return state;
  const tabs = state.tabs.filter((tab) => tab.key !== key);
  const active = state.active === key ? ((tabs[index] ?? tabs[index - 1])?.key ?? null) : state.active;
  return normalize({ tabs, active, beside: state.beside });
}

/** Close the tabs of a session that the user leaves; pinned dashboards stay. */
export function leaveSession(state: TabsState): TabsState {
  const tabs = state.tabs.filter((tab) => tab.kind === "dashboard" && tab.dashboard.persistence === "pinned");
  return normalize({ ...state, tabs });
}

/** Return true if two tabs are visible. */
export function isSplit({ beside }: TabsState): boolean {
  return beside !== null;
}

/** Show another tab beside the selected one. */
export function splitView(state: TabsState): TabsState {
  const others = state.tabs.filter((tab) => tab.key !== state.active);
  return normalize({ ...state, beside: others[0]?.key ?? null });
}

/** Show the selected tab alone. */
export function unsplitView(state: TabsState): TabsState {
  return { ...state, beside: null };
}

/** Return true if a tab keeps running while it is hidden. */
export function runs(tab: Tab): boolean {
  return tab.kind === "dashboard" || tab.item.viewer === "app";
}

/** Return the title of a tab. If another tab has the same, its name, version or id distinguishes it. */
export function getTitle(tab: Tab, { tabs }: Pick<TabsState, "tabs">): string {
  const others = tabs.filter((one) => one.kind === tab.kind && one.key !== tab.key).map(getLabels);
  const labels = getLabels(tab);
  return labels.find((label, index) => others.every((other) => other[index] !== label)) ?? (labels.at(-1) as string);
}

/** Return labels of a tab, each more specific than the one before. */
function getLabels(tab: Tab): string[] {
  if (tab.kind === "dashboard") {
    const title = tab.dashboard.title ?? tab.dashboard.id;
    return [title, `${title} (${tab.dashboard.id})`];
  }
  const { title, name, version } = tab.item;
  return [title, name, `${name}, version ${version}`];
}

/** Return true if a dashboard or an app stays open after the turn that opened it. */
export function outlivesTurn(tab: Tab): boolean {
  return tab.kind === "dashboard" ? tab.dashboard.persistence !== "ephemeral" : tab.item.viewer === "app";
}

function isSameFile(one: Tab, other: Tab): boolean {
  if (one.kind !== "file" || other.kind !== "file" || one.item.opening) return false;
  return one.item.fileKey === other.item.fileKey && one.item.version === other.item.version;
}

/**
 * Return true if a new tab takes the place of an open one: the same tab, or a newer version of its file. Of dashboards with
 * the same id, that of the later turn is newer.
 */
function replaces(added: Tab, open: Tab): boolean {
  if (added.kind === "dashboard" && open.kind === "dashboard") return added.key === open.key && added.turnId >= open.turnId;
  if (added.kind !== "file" || open.kind !== "file" || added.key === open.key) return added.key === open.key;
  // Until its call ends, an app has the page of an earlier call. The earlier call's tab and this one both stay open.
  if (added.item.opening || open.item.opening?.failure === null) return false;
  return added.item.fileKey === open.item.fileKey && added.item.version >= open.item.version;
}

/** Ensure that `active` and `beside` are existing tabs, and not the same one. */
function normalize(state: TabsState): TabsState {
  const exists = (key: string | null) => state.tabs.some((tab) => tab.key === key);
  const active = exists(state.active) ? state.active : (state.tabs[0]?.key ?? null);
  const beside = exists(state.beside) && state.beside !== active ? state.beside : null;
  return { ...state, active, beside };
}
