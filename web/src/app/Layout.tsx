import { lazy, Suspense, useCallback, useState } from "react";
import type { Config } from "../api/types";
import type { Identity } from "../auth/identity";
import type { OpenableOutput, OpenRequest } from "../canvas/types";
import { Composer } from "../chat/Composer";
import { ModelPicker } from "../chat/ModelPicker";
import { TurnList } from "../chat/TurnList";
import { Icon } from "../shared/Icon";
import { Sidebar } from "./Sidebar";
import { type Conversation, useConversation } from "./useConversation";

const Canvas = lazy(() => import("../canvas/Canvas"));
const AttachButton = lazy(() => import("../files/AttachButton"));
const DropZone = lazy(() => import("../files/DropZone"));

interface LayoutProps {
  config: Config;
  identity: Identity;
}

/** Page layout: the sidebar, the chat, and the canvas with the tools' output. */
export function Layout({ config, identity }: LayoutProps) {
  const conversation = useConversation(config);
  const [sidebarOpen, setSidebarOpen] = useState(false);
  const [canvasOpen, setCanvasOpen] = useState(false);
  const [openRequest, setOpenRequest] = useState<OpenRequest | null>(null);
  const { sessionId, outputs } = conversation;
  // On a narrow screen the sidebar would cover the canvas.
  const toggleCanvas = useCallback((open: boolean) => {
    setCanvasOpen(open);
    if (open) setSidebarOpen(false);
  }, []);
  const openOutput = (turnId: string, output: OpenableOutput): void => {
    setOpenRequest({ turnId, output, nonce: Date.now() });
    setCanvasOpen(true);
  };
  return (
    <div className={`layout${sidebarOpen ? " sidebar-open" : ""}${canvasOpen ? " canvas-open" : ""}`}>
      <Sidebar
        conversation={conversation}
        config={config}
        identity={identity}
        open={sidebarOpen}
        onClose={() => setSidebarOpen(false)}
      />
      <main className="chat">
        <header className="row">
          <button
            type="button"
            className="plain narrow-only"
            aria-label="Open sidebar"
            aria-expanded={sidebarOpen}
            aria-controls="sidebar"
            onClick={() => setSidebarOpen(true)}
          >
            <Icon name="menu" />
          </button>
          <h1>{conversation.session?.title ?? "Satchel"}</h1>
          {(outputs.length > 0 || canvasOpen) && (
            <button
              type="button"
              className="plain last"
              aria-pressed={canvasOpen}
              aria-controls="canvas"
              onClick={() => setCanvasOpen(!canvasOpen)}
            >
              <Icon name="panel" /> Canvas
            </button>
          )}
        </header>
        <Chat conversation={conversation} config={config} onOpen={openOutput} />
      </main>
      <Suspense>
        <Canvas
          sessionId={sessionId ?? ""}
          outputs={outputs}
          openRequest={openRequest}
          open={canvasOpen}
          setOpen={toggleCanvas}
        />
      </Suspense>
    </div>
  );
}

interface ChatProps {
  conversation: Conversation;
  config: Config;
  onOpen(turnId: string, output: OpenableOutput): void;
}

function Chat({ conversation, config, onOpen }: ChatProps) {
  const { turns, runningTurn, isSending, sessionId, draft, setDraft, model } = conversation;
  const attach = async (files: readonly File[]): Promise<void> => {
    const { startUpload } = await import("../files/upload/uploadStore");
    const uploadSession = await conversation.ensureSession("Files");
    for (const file of files) startUpload(file, uploadSession, conversation.attach);
  };
  return (
    <Suspense>
      <DropZone sessionFor={() => conversation.ensureSession("Files")} onUploaded={conversation.attach}>
        <TurnList turns={turns} onOpen={onOpen} />
        <Composer
          text={draft}
          setText={setDraft}
          sessionId={sessionId}
          attached={conversation.attached}
          onDetach={conversation.detach}
          onAttach={attach}
          isRunning={runningTurn !== null || isSending}
          onSend={() => void conversation.send()}
          onStop={() => runningTurn && turns.cancel(runningTurn)}
        >
          <AttachButton sessionFor={() => conversation.ensureSession("Files")} onUploaded={conversation.attach} />
          <ModelPicker models={config.models} selected={model} onSelect={conversation.selectModel} />
        </Composer>
      </DropZone>
    </Suspense>
  );
}
