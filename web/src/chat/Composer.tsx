import { type KeyboardEvent, type ReactNode, useRef } from "react";
import { useMention } from "../files/useMention";
import { Button } from "../shared/Button";
import { Icon } from "../shared/Icon";

interface ComposerProps {
  text: string;
  setText(text: string): void;
  sessionId: string | null;
  isRunning: boolean;
  onSend(): void;
  onStop(): void;
  /** Controls beside the Send button, such as the model picker. */
  children?: ReactNode;
}

/** Message input. Enter sends the message; Shift+Enter inserts a line break. */
export function Composer({ text, setText, sessionId, isRunning, onSend, onStop, children }: ComposerProps) {
  const textArea = useRef<HTMLTextAreaElement>(null);
  const mention = useMention(
    textArea,
    text,
    (newText, caret) => {
      setText(newText);
      requestAnimationFrame(() => textArea.current?.setSelectionRange(caret, caret));
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
        ref={textArea}
        aria-label="Message"
        placeholder="Write a message, or type @ to mention a file"
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        {...mention.aria}
      />
      <div className="row">
        {children}
        {/* Send and Stop render as the same element, so the focus stays on it when one replaces the other. */}
        {isRunning ? (
          <Button disabled={false} className="primary last" onClick={onStop}>
            <Icon name="stop" /> Stop
          </Button>
        ) : (
          <Button disabled={!text.trim()} type="submit" className="primary last">
            Send
          </Button>
        )}
      </div>
    </form>
  );
}
