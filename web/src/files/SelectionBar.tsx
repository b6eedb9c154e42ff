import { useEffect, useRef, useState } from "react";

import { Icon, type IconName } from "../shared/Icon";
import { showError } from "../shared/notifications";
import type { Selection } from "./useSelection";

interface SelectionBarProps {
  selection: Selection;
  onMention(name: string): void;
  onDelete(): void;
}

/** What can be done with the selected files. */
export function SelectionBar({ selection, onMention, onDelete }: SelectionBarProps) {
  const { files, clear } = selection;
  const [progress, setProgress] = useState<string | null>(null);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const download = async () => {
    abort.current?.abort();
    const controller = new AbortController();
    abort.current = controller;
    const report = (count: number) => setProgress(`${count} of ${files.length} files packed`);
    report(0);
    try {
      const { downloadAsZip } = await import("./zipFiles");
      await downloadAsZip(files, { signal: controller.signal, onProgress: report });
    } catch (error) {
      if (!controller.signal.aborted) showError(error);
    }
    if (abort.current === controller) setProgress(null);
  };
  const mention = () => {
    for (const { name } of files) onMention(name);
    clear();
  };
  const count = `${files.length.toLocaleString("en")} selected`;
  return (
    <div className="selection-bar" role="group" aria-label="Selected files">
      <span role="status">{progress ?? count}</span>
      <Action icon="mention" label="Mention selected files" word="Mention" onClick={mention} />
      <Action icon="download" label="Download selected files as zip" onClick={() => void download()} />
      <Action icon="trash" label="Delete selected files" onClick={onDelete} />
      <Action
        icon="close"
        label={progress === null ? "Clear selection" : "Cancel download"}
        onClick={() => (progress === null ? clear() : abort.current?.abort())}
      />
    </div>
  );
}

interface ActionProps {
  icon: IconName;
  label: string;
  /** Shown beside the icon on narrow screens, which have no pointer that would show the label. Its first word. */
  word?: string;
  onClick(): void;
}

function Action({ icon, label, word, onClick }: ActionProps) {
  return (
    <button type="button" className="plain icon-button" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
      {word && <span className="narrow-only">{word}</span>}
    </button>
  );
}
