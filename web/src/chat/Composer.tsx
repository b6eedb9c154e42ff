import { type KeyboardEvent, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import type { QueuedMessage } from "../app/useConversation";
import type { FileRecord, Prompt, Tool } from "../api/types";
import { useMention } from "../files/useMention";
import { Button } from "../shared/Button";
import { Icon, iconForMime } from "../shared/Icon";
import { withErrorToast } from "../shared/notifications";
import { type PromptMessage, requestPrompt, requestResource } from "./requestOffers";
import { useCommands } from "./useCommands";
import { isSendKey, readSendKey } from "../settings/preferences";
import { texts } from "../texts";

const Thumbnail = lazy(() => import("../files/Thumbnail"));
const PromptForm = lazy(() => import("./PromptForm"));

interface ComposerProps {
  text: string;
  setText(text: string): void;
  sessionId: string | null;
  attached: readonly FileRecord[];
  onDetach(fileKey: string): void;
  /** Uploads files and attaches them to the message. */
  onAttach(files: readonly File[]): Promise<void>;
  /** Opens the form of a tool. */
  onTool(tool: Tool): void;
  isRunning: boolean;
  /** Messages that wait for the end of the running turn. */
  queue: readonly QueuedMessage[];
  onUnqueue(id: string): void;
  /** Puts the latest message back into the box. */
  onEditLast(): void;
  /** Whether the text replaces an earlier message, in a branch of its own. */
  isEditing: boolean;
  onCancelEdit(): void;
  onSend(): void;
  onStop(): void;
  /** Controls beside the Send button, such as the model picker. */
  children?: ReactNode;
}

/** Message input. The key that the user has chosen sends the message; Shift+Enter inserts a line break. */
export function Composer(props: ComposerProps) {
  const { text, setText, sessionId, attached, onDetach, onAttach, onTool, isRunning, queue, onUnqueue } = props;
  const { onEditLast, isEditing, onCancelEdit, onSend, onStop, children } = props;
  const textArea = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // On a touch screen, the focus would open the keyboard over the page. A user who already moved the focus keeps it.
    const isFree = document.activeElement === document.body;
    if (isFree && matchMedia("(pointer: fine)").matches) textArea.current?.focus();
  }, []);
  const [prompt, setPrompt] = useState<Prompt | null>(null);
  const closePrompt = (): void => {
    setPrompt(null);
    textArea.current?.focus();
  };
  const takeMessage = (message: PromptMessage): void => {
    closePrompt();
    setText(message.text);
    if (message.files.length > 0) void withErrorToast(() => onAttach(message.files));
  };
  const choosePrompt = (chosen: Prompt): void => {
    setText("");
    if (chosen.arguments?.length) setPrompt(chosen);
    else void withErrorToast(async () => takeMessage(await requestPrompt(chosen, {})));
  };
  const chooseTool = (tool: Tool): void => {
    setText("");
    onTool(tool);
  };
  const prompts = useCommands(text, { onPrompt: choosePrompt, onTool: chooseTool });
  const mention = useMention({
    area: textArea,
    text,
    setText: (newText, caret) => {
      setText(newText);
      requestAnimationFrame(() => textArea.current?.setSelectionRange(caret, caret));
    },
    sessionId,
    onResource: (resource) => void withErrorToast(async () => onAttach(await requestResource(resource))),
  });
  const send = (): void => {
    if (text.trim()) onSend();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (mention.onKeyDown(event) || prompts.onKeyDown(event) || event.nativeEvent.isComposing) return;
    if (event.key === "Escape" && isRunning) onStop();
    else if (event.key === "Escape" && isEditing) onCancelEdit();
    if (event.key === "ArrowUp" && text === "") {
      event.preventDefault();
      onEditLast();
    }
    if (isSendKey(event, readSendKey())) {
      event.preventDefault();
      send();
    }
  };
  return (
    <>
      {prompt && (
        <Suspense>
          <PromptForm prompt={prompt} onMessage={takeMessage} onClose={closePrompt} />
        </Suspense>
      )}
      <form
        className="composer"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        {mention.list}
        {prompts.list}
        {isEditing && (
          <p className="editing row faint">
            <Icon name="edit" /> {texts.composer.editing}
            <button type="button" className="plain last" aria-label={texts.composer.cancelEdit} title={texts.composer.cancelEdit} onClick={onCancelEdit}>
              <Icon name="close" />
            </button>
          </p>
        )}
        {queue.length > 0 && (
          <ul className="queue" aria-label={texts.composer.queue}>
            {queue.map((message) => (
              <li key={message.id} className="row">
                <span className="name">{message.text}</span>
                <button type="button" className="plain last" aria-label={texts.composer.remove(message.text)} onClick={() => onUnqueue(message.id)}>
                  <Icon name="close" />
                </button>
              </li>
            ))}
          </ul>
        )}
        {attached.length > 0 && (
          <ul className="attachments" aria-label={texts.composer.attachments}>
            {attached.map((file) => (
              <li key={file.file_key} className="attachment">
                <Suspense fallback={<Icon name={iconForMime(file.mime)} />}>
                  <Thumbnail file={file} />
                </Suspense>
                <span className="name">{file.name}</span>
                <button
                  type="button"
                  className="plain"
                  aria-label={texts.composer.remove(file.name)}
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
          aria-label={texts.composer.message}
          placeholder={texts.composer.placeholder}
          rows={2}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          aria-autocomplete="list"
          {...mention.aria}
          {...prompts.aria}
        />
        <div className="row">
          {children}
          {/* Send and Stop render as the same element, so the focus stays on it when one replaces the other. */}
          {isRunning ? (
            <Button disabled={false} className="primary last send" aria-label={texts.composer.stop} title={texts.composer.stop} onClick={onStop}>
              <Icon name="stop" />
            </Button>
          ) : (
            <Button
              disabled={!text.trim()}
              type="submit"
              className="primary last send"
              aria-label={texts.composer.send}
              title={texts.composer.send}
            >
              <Icon name="send" />
            </Button>
          )}
        </div>
      </form>
    </>
  );
}
