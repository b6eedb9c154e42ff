/** What of what a tool made is opened, and in which order (spec 2 §2, spec 3 §6.1 and §8). Pure. */
import type { Artifact } from "../api/types";
import type { Made } from "./feed";
import { itemOfTurn } from "./item";
import { dashboardTab, fileTab, type Mode, type Tab } from "./tabs";

export interface Opening {
  tabs: Tab[];
  mode: Mode;
}

/** Return the tabs that open by themselves; none where nothing is to. */
export function openingOf(sessionId: string, made: Made): Opening {
  const files = opensFiles(made) ? inOrder(made) : [];
  const tabs = files.map((file) => fileTab(itemOfTurn(sessionId, made.turnId, hinted(file, made))));
  const { dashboard } = made;
  // What is meant to be looked at comes first: a dashboard was asked for by name, files may only have come along.
  if (dashboard?.open) tabs.unshift(dashboardTab(dashboard, sessionId, made.turnId));
  return { tabs, mode: modeOf(dashboard?.mode) ?? modeOf(made.display.mode) ?? "replace" };
}

function opensFiles(made: Made): boolean {
  return displayOpens(made) || made.artifacts.some((file) => file.auto_open);
}

function displayOpens({ display }: Made): boolean {
  return display.open_canvas || display.storage_action === "store_and_open";
}

/** First what the canvas is opened for: the primary file, or the one that asked; then what can be shown. */
function inOrder(made: Made): Artifact[] {
  const { artifacts, display } = made;
  const rank = (file: Artifact) => {
    if (file.name === display.primary_file) return displayOpens(made) ? 0 : 2;
    if (file.auto_open) return 1;
    return file.showable ? 3 : 4;
  };
  return [...artifacts].sort((one, other) => rank(one) - rank(other));
}

/** The hint of `display` is for the file that is shown first, where nothing else says how to show it. */
function hinted(file: Artifact, { display }: Made): Artifact {
  const { viewer_hint: hint, primary_file: primary } = display;
  return hint && file.name === primary && file.viewer === "auto" ? { ...file, viewer: hint } : file;
}

function modeOf(mode: string | null | undefined): Mode | null {
  return mode === "replace" || mode === "append" || mode === "split" ? mode : null;
}
