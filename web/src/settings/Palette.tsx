import { Command } from "cmdk";
import { useAsync } from "../canvas/useAsync";
import { fullName } from "../chat/findOffers";
import { fetchTools } from "../chat/useCommands";
import type { Session, Tool } from "../api/types";
import { timesOfSameTitles, titleOf } from "../session/titles";
import { Dialog } from "../shared/Dialog";
import { Icon, type IconName } from "../shared/Icon";
import { texts } from "../texts";
import "./palette.css";

export interface Action {
  label: string;
  icon: IconName;
  keys?: string;
  run(): void;
}

interface PaletteProps {
  actions: readonly Action[];
  sessions: readonly Session[];
  onSession(sessionId: string): void;
  onTool(tool: Tool): void;
  onClose(): void;
}

/** Search for chats, tools and commands of the page, and open what is chosen. */
export default function Palette({ actions, sessions, onSession, onTool, onClose }: PaletteProps) {
  const tools = useAsync("tools", fetchTools);
  const times = timesOfSameTitles(sessions);
  const choose = (run: () => void) => () => {
    onClose();
    run();
  };
  return (
    <Dialog title={texts.palette.title} className="palette" onClose={onClose}>
      <Command label={texts.palette.title} loop>
        <Command.Input data-autofocus placeholder={texts.palette.placeholder} />
        <Command.List label={texts.palette.title}>
          <Command.Empty>{texts.palette.none}</Command.Empty>
          <Command.Group heading={texts.palette.actions}>
            {actions.map(({ label, icon, keys, run }) => (
              <Command.Item key={label} onSelect={choose(run)}>
                <Icon name={icon} />
                <span className="name">{label}</span>
                {keys && <kbd className="last">{keys}</kbd>}
              </Command.Item>
            ))}
          </Command.Group>
          {sessions.length > 0 && (
            <Command.Group heading={texts.palette.chats}>
              {sessions.map((session) => (
                <Command.Item
                  key={session.session_id}
                  value={`${titleOf(session)} ${session.session_id}`}
                  onSelect={choose(() => onSession(session.session_id))}
                >
                  <Icon name="chat" />
                  <span className="name">{titleOf(session)}</span>
                  {times.has(session.session_id) && <span className="time faint last"> {times.get(session.session_id)}</span>}
                </Command.Item>
              ))}
            </Command.Group>
          )}
          {tools.status === "loaded" && tools.value.length > 0 && (
            <Command.Group heading={texts.palette.tools}>
              {tools.value.map((tool) => (
                <Command.Item key={fullName(tool)} value={`${tool.title ?? ""} ${fullName(tool)}`} onSelect={choose(() => onTool(tool))}>
                  <Icon name="tool" />
                  <span className="name">{tool.title || tool.name}</span>
                  <span className="faint last">{fullName(tool)}</span>
                </Command.Item>
              ))}
            </Command.Group>
          )}
        </Command.List>
      </Command>
    </Dialog>
  );
}
