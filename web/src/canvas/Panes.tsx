import { Suspense } from "react";

import { size } from "../shared/format";
import { Dashboard } from "./Dashboard";
import { DownloadButton } from "./DownloadButton";
import { Guard } from "./Guard";
import type { Item } from "./item";
import { panelId, tabId } from "./TabBar";
import { type Tab, type Tabs, titleOf } from "./tabs";
import { viewerOf } from "./viewers";

interface PanesProps {
  tabs: Tabs;
  open: boolean;
  onClose(key: string): void;
}

/** What is looked at. Dashboards stay where they are when they are not, and go on; files are shown anew. */
export function Panes({ tabs, open, onClose }: PanesProps) {
  const seen = [tabs.beside, tabs.active];
  const drawn = tabs.tabs.filter((tab) => tab.kind === "dashboard" || (open && seen.includes(tab.key)));
  if (tabs.tabs.length === 0) return <p className="viewer-note">What tools make is shown here.</p>;
  return (
    <div className="panes">
      {drawn.map((tab) => (
        <div
          key={tab.key}
          id={panelId(tab)}
          role="tabpanel"
          aria-labelledby={tabId(tab)}
          className="pane"
          hidden={!seen.includes(tab.key)}
          style={{ order: seen.indexOf(tab.key) }}
        >
          <Pane tab={tab} onClose={() => onClose(tab.key)} />
        </div>
      ))}
    </div>
  );
}

function Pane({ tab, onClose }: { tab: Tab; onClose(): void }) {
  return (
    <>
      <header className="pane-head">
        <h2>{titleOf(tab)}</h2>
        {tab.kind === "file" && (
          <>
            <span className="faint">{size(tab.item.size)}</span>
            <DownloadButton item={tab.item} />
          </>
        )}
        <button type="button" aria-label={`Close ${titleOf(tab)}`} onClick={onClose}>
          Close
        </button>
      </header>
      {tab.kind === "dashboard" ? <Dashboard {...tab} /> : <FileView item={tab.item} />}
    </>
  );
}

function FileView({ item }: { item: Item }) {
  const { name, View } = viewerOf(item);
  return (
    <div className="viewer" data-viewer={name}>
      <Guard item={item}>
        <Suspense fallback={<p className="viewer-note">Loading…</p>}>
          <View item={item} />
        </Suspense>
      </Guard>
    </div>
  );
}
