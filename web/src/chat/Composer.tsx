import { type KeyboardEvent, type ReactNode, useRef } from "react";
import { useMention } from "../files/mention";
import { Icon } from "../shared/icons";
import { PausableButton } from "../shared/PausableButton";

interface ComposerProps {
  text: string;
  setText(text: string): void;
  sessionId: string | null;
  isRunning: boolean;
  onSend(): void;
  onStop(): void;
  /** What stands beside the buttons: the model, files to attach. */
  children?: ReactNode;
}

/** Where the message is written. Enter sends it, Shift and Enter begin another line. */
export function Composer({ text, setText, sessionId, isRunning, onSend, onStop, children }: ComposerProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const mention = useMention(
    area,
    text,
    (changed, caret) => {
      setText(changed);
      requestAnimationFrame(() => area.current?.setSelectionRange(caret, caret));
    },
    sessionId,
  );
  const send = (): void => {
    if (text.trim() && !isRunning) onSend();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (mention.onKeyDown(event) || event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      send();
    }
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {mention.list}
      <textarea
        ref={area}
        aria-label="Message"
        placeholder="Write a message; @ names a file"
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        {...mention.aria}
      />
      <div className="row">
        {children}
        {/* The same one: who pressed it is where it can be stopped, and the next message sent. */}
        {isRunning ? (
          <PausableButton paused={false} className="primary last" onClick={onStop}>
            <Icon name="stop" /> Stop
          </PausableButton>
        ) : (
          <PausableButton paused={!text.trim()} type="submit" className="primary last">
            Send
          </PausableButton>
        )}
      </div>
    </form>
  );
}
