import { Component, type ReactNode } from "react";
import { texts } from "../texts";

import { formatSize } from "../shared/format";
import { Icon } from "../shared/Icon";
import { Dashboard } from "./Dashboard";
import { DownloadButton } from "./DownloadButton";
import type { Item } from "./item";
import { PreviewError } from "./PreviewState";
import { getPanelId, getTabId } from "./TabBar";
import { Versions } from "../files/Versions";
import { getTitle, isSplit, runs, type Tab, type TabsState } from "./tabs";
import { findViewer } from "./viewers";

interface PanesProps {
  tabs: TabsState;
  open: boolean;
}

/** Contents of the visible tabs. Hidden dashboards and apps stay mounted and keep running; hidden files are unmounted. */
export function Panes({ tabs, open }: PanesProps) {
  const visible = [tabs.beside, tabs.active];
  const mounted = tabs.tabs.filter((tab) => runs(tab) || (open && visible.includes(tab.key)));
  if (tabs.tabs.length === 0) return <p className="viewer-message">{texts.canvas.empty}</p>;
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
          <Pane tab={tab} title={getTitle(tab, tabs)} isSplit={isSplit(tabs)} />
        </div>
      ))}
    </div>
  );
}

function Pane({ tab, title, isSplit }: { tab: Tab; title: string; isSplit: boolean }) {
  return (
    <>
      {isSplit && (
        <header className="pane-head">
          <h2 title={title}>{title}</h2>
          <TabActions tab={tab} />
        </header>
      )}
      {tab.kind === "dashboard" ? <Dashboard {...tab} /> : <FileView item={tab.item} />}
    </>
  );
}

/** Actions on the file of a tab: its versions, download, a browser tab of its own. */
export function TabActions({ tab }: { tab: Tab }) {
  if (tab.kind !== "file") return null;
  const { item } = tab;
  const ownTab = `/?${new URLSearchParams({ file: item.fileKey, version: String(item.version) })}`;
  return (
    <>
      <span className="faint pane-size">{formatSize(item.size)}</span>
      <Versions {...item} floating />
      <DownloadButton item={item} compact />
      {/* With an opener, the new tab gets this tab's sign-in. It is this page, so it may have the opener. */}
      <a className="button plain icon-button" href={ownTab} target="_blank" rel="opener" aria-label={texts.canvas.ownTab} title={texts.canvas.ownTab}>
        <Icon name="external" />
      </a>
    </>
  );
}

export function FileView({ item }: { item: Item }) {
  const { name, View } = findViewer(item);
  return (
    <div className="viewer" data-viewer={name}>
      <ViewerErrorBoundary item={item}>
        <View item={item} />
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
    return <PreviewError item={this.props.item} message={texts.canvas.noPreview} />;
  }
}
