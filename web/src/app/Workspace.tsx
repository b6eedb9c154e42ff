import { lazy, Suspense, useCallback, useState } from "react";
import type { Config } from "../api/types";
import type { Asked } from "../canvas/feed";
import { Composer } from "../chat/Composer";
import { ModelPicker } from "../chat/ModelPicker";
import { TurnList } from "../chat/TurnList";
import type { Identity } from "../session/identity";
import { Icon } from "../shared/icons";
import { Side } from "./Side";
import { type Conversation, useConversation } from "./useConversation";

const Canvas = lazy(() => import("../canvas/Canvas"));
const Uploads = lazy(() => import("../files/Uploads"));

interface WorkspaceProps {
  config: Config;
  identity: Identity;
}

/** The frame: sessions and files on the left, the chat, and beside it what tools made. */
export function Workspace({ config, identity }: WorkspaceProps) {
  const conversation = useConversation(config);
  const [sideOpen, setSideOpen] = useState(false);
  const [canvasOpen, setCanvasOpen] = useState(false);
  const [asked, setAsked] = useState<Asked | null>(null);
  const { sessionId, made } = conversation;
  // On a narrow screen the side would stand over it.
  const openCanvas = useCallback((open: boolean) => {
    setCanvasOpen(open);
    if (open) setSideOpen(false);
  }, []);
  const show = (turnId: string, fileKey: string): void => {
    setAsked({ turnId, fileKey, nonce: Date.now() });
    setCanvasOpen(true);
  };
  return (
    <div className={`frame${sideOpen ? " side-open" : ""}${canvasOpen ? " canvas-open" : ""}`}>
      <Side
        conversation={conversation}
        config={config}
        identity={identity}
        open={sideOpen}
        onClose={() => setSideOpen(false)}
      />
      <main className="chat">
        <header className="row">
          <button
            type="button"
            className="plain narrow-only"
            aria-label="Sessions and files"
            aria-expanded={sideOpen}
            aria-controls="side"
            onClick={() => setSideOpen(true)}
          >
            <Icon name="menu" />
          </button>
          <h1>{conversation.session?.title ?? "Satchel"}</h1>
          {(made.length > 0 || canvasOpen) && (
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
        <Chat conversation={conversation} config={config} show={show} />
      </main>
      <Suspense>
        <Canvas sessionId={sessionId ?? ""} made={made} asked={asked} open={canvasOpen} setOpen={openCanvas} />
      </Suspense>
    </div>
  );
}

interface ChatProps {
  conversation: Conversation;
  config: Config;
  show(turnId: string, fileKey: string): void;
}

function Chat({ conversation, config, show }: ChatProps) {
  const { turns, running, isSending, sessionId, draft, setDraft, model } = conversation;
  return (
    <Suspense>
      <Uploads sessionFor={() => conversation.sessionFor("Files")} onUploaded={conversation.mention}>
        <TurnList turns={turns} onOpen={show} />
        <Composer
          text={draft}
          setText={setDraft}
          sessionId={sessionId}
          isRunning={running !== null || isSending}
          onSend={() => void conversation.send()}
          onStop={() => running && turns.cancel(running)}
        >
          <ModelPicker models={config.models} chosen={model} choose={conversation.chooseModel} />
        </Composer>
      </Uploads>
    </Suspense>
  );
}
