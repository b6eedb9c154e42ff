import { useState } from "react";
import { Markdown } from "../shared/Markdown";
import { isMarkdown } from "../shared/markdownText";
import { texts } from "../texts";

interface CallResultProps {
  results: unknown;
}

/** Result of a call: rendered if it is Markdown text, with a button for its source; any other value as text or JSON. */
export function CallResult({ results }: CallResultProps) {
  const [asSource, setAsSource] = useState(false);
  const markdown = typeof results === "string" && isMarkdown(results) ? results : null;
  return (
    <>
      <div className="row">
        <h4>{texts.call.result}</h4>
        {markdown !== null && (
          <button type="button" className="plain last" aria-pressed={asSource} onClick={() => setAsSource(!asSource)}>
            {texts.call.showSource}
          </button>
        )}
      </div>
      {markdown !== null && !asSource ? <Markdown text={markdown} /> : <pre>{formatValue(results)}</pre>}
    </>
  );
}

export function formatValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null, null, 2);
}
