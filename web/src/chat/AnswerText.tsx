import { Markdown } from "../shared/Markdown";
import { useSmoothText } from "./useSmoothText";

interface AnswerTextProps {
  text: string;
  /** True while the model writes this text: it then grows evenly, and ends with a caret. */
  isStreaming: boolean;
  files: readonly string[];
  onOpenFile(name: string): void;
}

/** Text of an answer. */
export function AnswerText({ text, isStreaming, files, onOpenFile }: AnswerTextProps) {
  const shown = useSmoothText(text, isStreaming);
  return (
    <div className={isStreaming ? "answer-text streaming" : "answer-text"}>
      <Markdown text={shown} isOpen={isStreaming} files={files} onOpenFile={onOpenFile} />
    </div>
  );
}
