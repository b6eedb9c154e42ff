/** Which tabs the canvas has, and which of them are looked at. Pure. */
import type { Dashboard } from "../api/types";
import type { Item } from "./item";

export type Tab =
  | { key: string; kind: "file"; item: Item }
  | { key: string; kind: "dashboard"; dashboard: Dashboard; sessionId: string; turnId: string };

export type Mode = "replace" | "append" | "split";

export interface Tabs {
  tabs: readonly Tab[];
  /** The key of the tab that is shown; null where there is none. */
  active: string | null;
  /** The key of the tab that is shown beside it. */
  beside: string | null;
}

export const NO_TABS: Tabs = { tabs: [], active: null, beside: null };

export function fileTab(item: Item): Tab {
  return { key: `file:${item.fileKey}@${item.version}`, kind: "file", item };
}

export function dashboardTab(dashboard: Dashboard, sessionId: string, turnId: string): Tab {
  return { key: `dashboard:${dashboard.id}`, kind: "dashboard", dashboard, sessionId, turnId };
}

/**
 * Open what came, the first of it to be looked at. `replace` takes the place of the files that are there, `append`
 * stands behind them, `split` beside the one that was looked at. Dashboards stay until they are closed.
 */
export function opened(state: Tabs, came: readonly Tab[], mode: Mode): Tabs {
  const [first] = came;
  if (!first) return state;
  const stays = (tab: Tab) => !came.some((one) => isSameThing(one, tab)) && (mode !== "replace" || outlivesTurns(tab));
  const before = state.tabs.filter(stays);
  const replaced = state.tabs.map((tab) => came.find((one) => one.key === tab.key) ?? tab);
  const added = came.filter((one) => !state.tabs.some((tab) => tab.key === one.key));
  const tabs = mode === "replace" ? [...before, ...came] : [...replaced.filter((tab) => stays(tab) || came.includes(tab)), ...added];
  return settled({ tabs, active: first.key, beside: mode === "split" ? state.active : null });
}

/** Put tabs there without looking at them: what was open before the page was loaded again. */
export function restored(state: Tabs, came: readonly Tab[]): Tabs {
  const added = came.filter((one) => !state.tabs.some((tab) => tab.key === one.key));
  const tabs = [...state.tabs, ...added];
  return { ...state, tabs, active: state.active ?? tabs[0]?.key ?? null };
}

/** Look at a tab. */
export function selected(state: Tabs, key: string): Tabs {
  return settled({ ...state, active: key });
}

/** Close a tab; the one behind it, else the one before it, takes its place. */
export function closed(state: Tabs, key: string): Tabs {
  const at = state.tabs.findIndex((tab) => tab.key === key);
  if (at < 0) return state;
  const tabs = state.tabs.filter((tab) => tab.key !== key);
  const next = state.active === key ? ((tabs[at] ?? tabs[at - 1])?.key ?? null) : state.active;
  return settled({ tabs, active: next, beside: state.beside });
}

/** Leave a session: only what is pinned stays. */
export function left(state: Tabs): Tabs {
  const tabs = state.tabs.filter((tab) => tab.kind === "dashboard" && tab.dashboard.persistence === "pinned");
  return settled({ ...state, tabs });
}

/** Tell whether two tabs are looked at. */
export function isSplit({ beside }: Tabs): boolean {
  return beside !== null;
}

/** Look at the next tab, too. */
export function split(state: Tabs): Tabs {
  const others = state.tabs.filter((tab) => tab.key !== state.active);
  return settled({ ...state, beside: others[0]?.key ?? null });
}

/** Look at one tab alone. */
export function joined(state: Tabs): Tabs {
  return { ...state, beside: null };
}

/** Return what a tab is called. */
export function titleOf(tab: Tab): string {
  return tab.kind === "file" ? tab.item.title : (tab.dashboard.title ?? tab.dashboard.id);
}

function isSameThing(one: Tab, other: Tab): boolean {
  if (one.kind === "file" && other.kind === "file") return one.item.fileKey === other.item.fileKey;
  return one.key === other.key;
}

function outlivesTurns(tab: Tab): boolean {
  return tab.kind === "dashboard" && tab.dashboard.persistence !== "ephemeral";
}

/** What is looked at must be there, and not twice. */
function settled(state: Tabs): Tabs {
  const has = (key: string | null) => state.tabs.some((tab) => tab.key === key);
  const active = has(state.active) ? state.active : (state.tabs[0]?.key ?? null);
  const beside = has(state.beside) && state.beside !== active ? state.beside : null;
  return { ...state, active, beside };
}
