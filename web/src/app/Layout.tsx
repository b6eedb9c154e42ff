import { lazy, Suspense, useCallback, useRef, useState } from "react";
import type { Config, Tool } from "../api/types";
import type { Identity } from "../auth/identity";
import type { OpenableOutput, OpenRequest } from "../canvas/types";
import { Composer } from "../chat/Composer";
import { ModelPicker } from "../chat/ModelPicker";
import type { Turn } from "../chat/turn";
import { TurnList } from "../chat/TurnList";
import { Icon } from "../shared/Icon";
import { titleOf } from "../session/titles";
import { useShortcuts } from "../settings/shortcuts";
import { Sidebar } from "./Sidebar";
import { useSidebar } from "./useSidebar";
import { usePageTitle } from "./usePageTitle";
import { type Conversation, useConversation } from "./useConversation";
import { texts } from "../texts";

const Canvas = lazy(() => import("../canvas/Canvas"));
const AttachButton = lazy(() => import("../files/AttachButton"));
const ToolForm = lazy(() => import("../tools/ToolForm"));
const SettingsDialog = lazy(() => import("../settings/SettingsDialog"));
const ShortcutDialog = lazy(() => import("../settings/ShortcutDialog"));
const Palette = lazy(() => import("../settings/Palette"));
const Welcome = lazy(() => import("./Welcome"));
const DropZone = lazy(() => import("../files/DropZone"));

interface LayoutProps {
  config: Config;
  identity: Identity;
}

/** Page layout: the sidebar, the chat, and the canvas with the tools' output. */
export function Layout({ config, identity }: LayoutProps) {
  const conversation = useConversation(config);
  const [dialog, setDialog] = useState<"settings" | "shortcuts" | "palette" | null>(null);
  const [canvasOpen, setCanvasOpen] = useState(false);
  const sidebar = useSidebar(canvasOpen);
  const [openRequest, setOpenRequest] = useState<OpenRequest | null>(null);
  const [tool, setTool] = useState<Tool | null>(null);
  const { sessionId, outputs } = conversation;
  const title = conversation.session ? titleOf(conversation.session) : "Satchel";
  usePageTitle(title, conversation.runningTurn !== null);
  // On a narrow screen the sidebar would cover the canvas.
  const toggleCanvas = useCallback((open: boolean) => {
    setCanvasOpen(open);
    if (open) sidebar.close();
  }, []);
  const newChat = (): void => {
    conversation.openSession(null);
    sidebar.close();
    focusMessage();
  };
  const closeDialog = (): void => setDialog(null);
  useShortcuts({ palette: () => setDialog("palette"), newChat, list: () => setDialog("shortcuts"), sidebar: sidebar.toggle });
  const actions = [
    { label: texts.sessions.new, icon: "plus", keys: "Ctrl Shift O", run: newChat },
    { label: texts.settings.open, icon: "settings", run: () => setDialog("settings") },
    { label: texts.settings.shortcuts, icon: "list", keys: "Ctrl /", run: () => setDialog("shortcuts") },
    { label: texts.shortcuts.sidebar, icon: "sidebar", keys: "Ctrl B", run: sidebar.toggle },
  ] as const;
  // A new function for each render would render all turns again, because it is a property of each.
  const openOutput = useCallback((turnId: string, output: OpenableOutput) => {
    setOpenRequest({ turnId, output, nonce: Date.now() });
    setCanvasOpen(true);
  }, []);
  return (
    <div className={`layout${sidebar.isOpen ? " sidebar-open" : ""}${sidebar.isHidden ? " sidebar-hidden" : ""}${sidebar.isKept ? " sidebar-kept" : ""}${canvasOpen ? " canvas-open" : ""}`}>
      <Sidebar
        conversation={conversation}
        config={config}
        identity={identity}
        open={sidebar.isOpen}
        onClose={sidebar.close}
        onHide={sidebar.toggle}
        onNew={newChat}
        onSettings={() => setDialog("settings")}
        onTool={setTool}
      />
      <main className="chat">
        <header className="row">
          <button
            type="button"
            className="plain narrow-only"
            aria-label={texts.app.openSidebar}
            aria-expanded={sidebar.isOpen}
            aria-controls="sidebar"
            onClick={sidebar.open}
          >
            <Icon name="menu" />
          </button>
          {(sidebar.isHidden || (canvasOpen && !sidebar.isKept)) && (
            <button
              type="button"
              className={`plain ${sidebar.isHidden ? "wide-only" : "medium-only"}`}
              aria-label={texts.app.showSidebar}
              title={texts.app.showSidebar}
              autoFocus={sidebar.wasToggled}
              onClick={sidebar.toggle}
            >
              <Icon name="sidebar" />
            </button>
          )}
          <h1>{title}</h1>
          {(outputs.length > 0 || canvasOpen) && (
            <button
              type="button"
              className="plain last"
              aria-pressed={canvasOpen}
              aria-controls="canvas"
              onClick={() => setCanvasOpen(!canvasOpen)}
            >
              <Icon name="panel" /> {texts.app.canvas}
            </button>
          )}
        </header>
        <Chat conversation={conversation} config={config} onOpen={openOutput} tool={tool} setTool={setTool} />
      </main>
      <Suspense>
        <Canvas
          sessionId={sessionId ?? ""}
          outputs={outputs}
          openingCalls={conversation.openingCalls}
          openRequest={openRequest}
          open={canvasOpen}
          setOpen={toggleCanvas}
        />
      </Suspense>
      <Suspense>
        {dialog === "settings" && <SettingsDialog onClose={closeDialog} />}
        {dialog === "shortcuts" && <ShortcutDialog onClose={closeDialog} />}
        {dialog === "palette" && (
          <Palette
            actions={actions}
            sessions={conversation.sessions.list.filter((session) => !session.temporary)}
            onSession={conversation.openSession}
            onTool={setTool}
            onClose={closeDialog}
          />
        )}
      </Suspense>
    </div>
  );
}

function focusMessage(): void {
  document.querySelector<HTMLElement>(".composer textarea")?.focus();
}

interface ChatProps {
  conversation: Conversation;
  config: Config;
  onOpen(turnId: string, output: OpenableOutput): void;
  /** The tool whose form is open. */
  tool: Tool | null;
  setTool(tool: Tool | null): void;
}

function Chat({ conversation, config, onOpen, tool, setTool }: ChatProps) {
  const { turns, runningTurn, isSending, sessionId, draft, setDraft, model } = conversation;
  const latest = useRef(conversation);
  latest.current = conversation;
  const retry = useCallback((turn: Turn) => latest.current.retry(turn), []);
  const edit = useCallback((turn: Turn) => {
    latest.current.edit(turn);
    focusMessage();
  }, []);
  const chooseBranch = useCallback((turn: Turn) => latest.current.chooseBranch(turn), []);
  const askForRest = useCallback(() => latest.current.sendText(texts.turn.continueMessage), []);
  const closeTool = (): void => {
    setTool(null);
    focusMessage();
  };
  const attach = async (files: readonly File[]): Promise<void> => {
    const { startUpload } = await import("../files/upload/uploadStore");
    const uploadSession = await conversation.ensureSession(null);
    for (const file of files) startUpload(file, uploadSession, conversation.attach);
  };
  return (
    <Suspense>
      <DropZone sessionFor={() => conversation.ensureSession(null)} onUploaded={conversation.attach}>
        <TurnList
          turns={turns}
          branches={conversation.branches}
          sessionId={sessionId}
          onOpen={onOpen}
          onRetry={retry}
          onEdit={edit}
          onBranch={chooseBranch}
          onContinue={askForRest}
          welcome={
            <Suspense>
              <Welcome
                config={config}
                model={model}
                onTool={setTool}
                onFile={conversation.attach}
                isTemporary={conversation.startsTemporary}
                setTemporary={conversation.setStartsTemporary}
              />
            </Suspense>
          }
        />
        {tool && (
          <Suspense>
            <ToolForm
              tool={tool}
              onCall={(message) => {
                closeTool();
                conversation.sendText(message);
              }}
              onClose={closeTool}
            />
          </Suspense>
        )}
        {conversation.session?.temporary && (
          <p className="temporary-note row faint">
            <Icon name="clock" /> {texts.sessions.temporaryNote}
            <button type="button" className="last" onClick={conversation.end}>
              {texts.sessions.deleteChat}
            </button>
          </p>
        )}
        <Composer
          text={draft}
          setText={setDraft}
          sessionId={sessionId}
          attached={conversation.attached}
          onDetach={conversation.detach}
          onAttach={attach}
          isRunning={runningTurn !== null || isSending}
          queue={conversation.queue}
          onUnqueue={conversation.unqueue}
          onTool={setTool}
          onEditLast={() => {
            const last = conversation.branches.shown.at(-1);
            if (last) edit(last);
          }}
          isEditing={conversation.editing !== null}
          onCancelEdit={() => conversation.edit(null)}
          onSend={() => void conversation.send()}
          onStop={() => runningTurn && turns.cancel(runningTurn)}
        >
          <AttachButton sessionFor={() => conversation.ensureSession(null)} onUploaded={conversation.attach} />
          <ModelPicker models={config.models} selected={model} onSelect={conversation.selectModel} />
        </Composer>
      </DropZone>
    </Suspense>
  );
}
