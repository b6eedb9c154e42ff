import { Component, type ReactNode, Suspense } from "react";

import { formatSize } from "../shared/format";
import { Dashboard } from "./Dashboard";
import { DownloadButton } from "./DownloadButton";
import type { Item } from "./item";
import { PreviewError } from "./PreviewState";
import { getPanelId, getTabId } from "./TabBar";
import { Versions } from "../files/Versions";
import { getTitle, runs, type Tab, type TabsState } from "./tabs";
import { findViewer } from "./viewers";

interface PanesProps {
  tabs: TabsState;
  open: boolean;
  onClose(key: string): void;
}

/** Contents of the visible tabs. Hidden dashboards and apps stay mounted and keep running; hidden files are unmounted. */
export function Panes({ tabs, open, onClose }: PanesProps) {
  const visible = [tabs.beside, tabs.active];
  const mounted = tabs.tabs.filter((tab) => runs(tab) || (open && visible.includes(tab.key)));
  if (tabs.tabs.length === 0) return <p className="viewer-message">Files and dashboards from tools appear here.</p>;
  return (
    <div className="panes">
      {mounted.map((tab) => (
        <div
          key={tab.key}
          id={getPanelId(tab)}
          role="tabpanel"
          aria-labelledby={getTabId(tab)}
          className="pane"
          hidden={!visible.includes(tab.key)}
          style={{ order: visible.indexOf(tab.key) }}
        >
          <Pane tab={tab} title={getTitle(tab, tabs)} onClose={() => onClose(tab.key)} />
        </div>
      ))}
    </div>
  );
}

function Pane({ tab, title, onClose }: { tab: Tab; title: string; onClose(): void }) {
  return (
    <>
      <header className="pane-head">
        <h2 title={title}>{title}</h2>
        {tab.kind === "file" && (
          <>
            <span className="faint">{formatSize(tab.item.size)}</span>
            <DownloadButton item={tab.item} />
          </>
        )}
        <button type="button" aria-label={`Close ${title}`} onClick={onClose}>
          Close
        </button>
      </header>
      {tab.kind === "file" && <Versions {...tab.item} />}
      {tab.kind === "dashboard" ? <Dashboard {...tab} /> : <FileView item={tab.item} />}
    </>
  );
}

function FileView({ item }: { item: Item }) {
  const { name, View } = findViewer(item);
  return (
    <div className="viewer" data-viewer={name}>
      <ViewerErrorBoundary item={item}>
        <Suspense fallback={<p className="viewer-message">Loading…</p>}>
          <View item={item} />
        </Suspense>
      </ViewerErrorBoundary>
    </div>
  );
}

/** Error boundary around a viewer: a crash affects its pane, not the page. */
class ViewerErrorBoundary extends Component<{ item: Item; children: ReactNode }, { hasError: boolean }> {
  override state = { hasError: false };

  static getDerivedStateFromError() {
    return { hasError: true };
  }

  override render() {
    if (!this.state.hasError) return this.props.children;
    return <PreviewError item={this.props.item} message="Can't preview this file." />;
  }
}
