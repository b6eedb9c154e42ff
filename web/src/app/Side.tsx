import { lazy, Suspense, useEffect, useRef, useState } from "react";
import type { Config } from "../api/types";
import type { Identity } from "../session/identity";
import { SessionList } from "../session/SessionList";
import { UserSwitch } from "../session/UserSwitch";
import { useFocusBack } from "../shared/focus";
import { Icon } from "../shared/icons";
import type { Conversation } from "./useConversation";

const Files = lazy(() => import("../files/Files"));

interface SideProps {
  conversation: Conversation;
  config: Config;
  identity: Identity;
  /** On a narrow screen it stands over the rest, if it is wanted; on a wide one it is always there. */
  open: boolean;
  onClose(): void;
}

type Tab = "sessions" | "files";
const TABS: readonly [Tab, string][] = [
  ["sessions", "Sessions"],
  ["files", "My Files"],
];

/** Sessions and files, one at a time, and who one is. */
export function Side({ conversation, config, identity, open, onClose }: SideProps) {
  const [tab, setTab] = useState<Tab>("sessions");
  const side = useRef<HTMLElement>(null);
  const { sessions, sessionId, changes } = conversation;
  useEffect(() => {
    if (open) side.current?.querySelector("button")?.focus();
  }, [open]);
  useFocusBack(open, side, () => document.querySelector("[aria-controls=side]"));
  return (
    <nav className="side" id="side" ref={side} aria-label="Sessions and files">
      <div className="row tabs">
        {TABS.map(([name, title]) => (
          <button key={name} type="button" aria-pressed={tab === name} onClick={() => setTab(name)}>
            {title}
          </button>
        ))}
        <button type="button" className="plain narrow-only last" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {tab === "sessions" ? (
        <SessionList
          sessions={sessions}
          chosen={sessionId}
          filesStay={config.flags["persist_files_across_sessions"] !== false}
          choose={(to) => {
            conversation.open(to);
            onClose();
          }}
        />
      ) : (
        <Suspense>
          <Files
            sessionId={sessionId}
            changes={changes}
            onMention={(name) => {
              conversation.mention(name);
              onClose();
            }}
          />
        </Suspense>
      )}
      <UserSwitch user={config.user} identity={identity} />
    </nav>
  );
}
