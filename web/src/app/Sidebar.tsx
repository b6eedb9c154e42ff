import { lazy, Suspense, useEffect, useRef, useState } from "react";
import type { Config, Tool } from "../api/types";
import type { Identity } from "../auth/identity";
import { UserMenu } from "../auth/UserMenu";
import { SessionList } from "../session/SessionList";
import { useFocusReturn } from "../shared/focus";
import { Icon } from "../shared/Icon";
import type { Conversation } from "./useConversation";
import { texts } from "../texts";

const FilesPanel = lazy(() => import("../files/FilesPanel"));
const ToolsPanel = lazy(() => import("../tools/ToolsPanel"));

interface SidebarProps {
  conversation: Conversation;
  config: Config;
  identity: Identity;
  /** Whether the sidebar covers the chat on a narrow screen. On a wide screen it is always visible. */
  open: boolean;
  onClose(): void;
  /** Hides the sidebar on a wide screen. */
  onHide(): void;
  /** Opens a new chat to write in. */
  onNew(): void;
  onSettings(): void;
  /** Opens the form of a tool. */
  onTool(tool: Tool): void;
}

type Tab = "sessions" | "files" | "tools";
const TABS: readonly Tab[] = ["sessions", "files", "tools"];

/** Left side of the page: the list of chats, My Files or the tools, and the signed-in user. */
export function Sidebar({ conversation, config, identity, open, onClose, onHide, onNew, onSettings, onTool }: SidebarProps) {
  const [tab, setTab] = useState<Tab>("sessions");
  const titles = { sessions: texts.app.chats, files: texts.app.files, tools: texts.app.tools };
  const sidebar = useRef<HTMLElement>(null);
  const { sessions, sessionId, fileChanges } = conversation;
  useEffect(() => {
    if (open) sidebar.current?.querySelector("button")?.focus();
  }, [open]);
  useFocusReturn(open, sidebar, () => document.querySelector("[aria-controls=sidebar]"));
  return (
    <nav className="sidebar" id="sidebar" ref={sidebar} aria-label={texts.app.sidebar}>
      <div className="row tabs">
        {TABS.map((name) => (
          <button key={name} type="button" aria-pressed={tab === name} onClick={() => setTab(name)}>
            {titles[name]}
          </button>
        ))}
        <button type="button" className="plain wide-only last" aria-label={texts.app.hideSidebar} title={texts.app.hideSidebar} onClick={onHide}>
          <Icon name="sidebar" />
        </button>
        <button type="button" className="plain narrow-only last" aria-label={texts.app.closeSidebar} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {tab === "sessions" && (
        <SessionList
          sessions={sessions}
          currentId={sessionId}
          lastTurnId={conversation.branches.shown.at(-1)?.turnId ?? null}
          keepsFiles={config.flags["persist_files_across_sessions"] !== false}
          onNew={onNew}
          onOpen={(id) => {
            conversation.openSession(id);
            onClose();
          }}
          onEnded={(id) => {
            if (conversation.leaveSession(id)) onClose();
          }}
        />
      )}
      {tab === "files" && (
        <Suspense>
          <FilesPanel
            sessionId={sessionId}
            changes={fileChanges}
            onMention={(name) => {
              conversation.mentionFile(name);
              onClose();
            }}
          />
        </Suspense>
      )}
      {tab === "tools" && (
        <Suspense>
          <ToolsPanel
            choice={conversation.toolChoice}
            onTool={(tool) => {
              onTool(tool);
              onClose();
            }}
          />
        </Suspense>
      )}
      <div className="sidebar-foot">
        <button type="button" className="plain settings-button" onClick={onSettings}>
          <Icon name="settings" /> {texts.settings.open}
        </button>
        <UserMenu user={config.user} identity={identity} />
      </div>
    </nav>
  );
}
