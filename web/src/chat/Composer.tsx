import { type KeyboardEvent, type ReactNode, useRef } from "react";
import type { FileRecord } from "../api/types";
import { useMention } from "../files/useMention";
import { Button } from "../shared/Button";
import { Icon, iconForMime } from "../shared/Icon";

interface ComposerProps {
  text: string;
  setText(text: string): void;
  sessionId: string | null;
  attached: readonly FileRecord[];
  onDetach(fileKey: string): void;
  isRunning: boolean;
  onSend(): void;
  onStop(): void;
  /** Controls beside the Send button, such as the model picker. */
  children?: ReactNode;
}

/** Message input. Enter sends the message; Shift+Enter inserts a line break. */
export function Composer({ text, setText, sessionId, attached, onDetach, isRunning, onSend, onStop, children }: ComposerProps) {
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
      {attached.length > 0 && (
        <ul className="attachments" aria-label="Files to send">
          {attached.map((file) => (
            <li key={file.file_key} className="attachment">
              <Icon name={iconForMime(file.mime)} />
              <span className="name">{file.name}</span>
              <button
                type="button"
                className="plain"
                aria-label={`Remove ${file.name}`}
                onClick={() => onDetach(file.file_key)}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
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
