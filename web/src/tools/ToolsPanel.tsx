import { useState } from "react";
import type { Tool, ToolServer } from "../api/types";
import { fullName } from "../chat/findOffers";
import { toWords } from "./description";
import { ToolLabel } from "./ToolLabel";
import { useServers } from "./useServers";
import type { ToolChoice } from "./useToolChoice";
import { texts } from "../texts";

interface ToolsPanelProps {
  /** Which tools the open chat uses. */
  choice: ToolChoice;
  /** Opens the form of a tool. */
  onTool(tool: Tool): void;
}

/** The servers that the user may use, with their state and their tools, and a search of them. */
export default function ToolsPanel({ choice, onTool }: ToolsPanelProps) {
  const servers = useServers();
  const [query, setQuery] = useState("");
  if (servers.status === "loading") return <p className="faint tools">{texts.app.loading}</p>;
  if (servers.status === "failed") return <p className="error-message tools">{servers.message}</p>;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length > 0 ? servers.value.flatMap((server) => findTools(server, words)) : servers.value;
  return (
    <section className="tools" aria-label={texts.tools.tools}>
      <h2>{texts.tools.tools}</h2>
      <input
        type="search"
        aria-label={texts.tools.search}
        placeholder={texts.tools.search}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      {found.map((server) => (
        // Another key for a search, so that its results are unfolded and the list before it is as it was.
        <Server key={`${server.name} ${words.length > 0}`} server={server} choice={choice} onTool={onTool} isOpen={words.length > 0} />
      ))}
      {found.length === 0 && <p className="faint">{texts.tools.noMatch}</p>}
    </section>
  );
}

/** Return the server with the tools that have all words in their names or descriptions; nothing without such a tool. */
function findTools(server: ToolServer, words: readonly string[]): ToolServer[] {
  const tools = server.tools.filter((tool) => {
    const text = [server.title, fullName(tool), tool.title, tool.description].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return tools.length > 0 ? [{ ...server, tools }] : [];
}

function Server({ server, choice, onTool, isOpen }: ToolsPanelProps & { server: ToolServer; isOpen: boolean }) {
  const { name, title, description, status, reason, tools } = server;
  const names = tools.map(fullName);
  return (
    <details open={isOpen}>
      <summary>
        {toWords(title || name)} <span className="faint">{status === "ready" ? texts.tools.count(tools.length) : texts.tools.status[status]}</span>
      </summary>
      {description && <p>{description}</p>}
      {tools.length > 0 && (
        <label className="switch">
          <input
            type="checkbox"
            aria-label={texts.tools.use(title || name)}
            checked={names.some((each) => !choice.disabled.has(each))}
            onChange={(event) => choice.setEnabled(names, event.target.checked)}
          />
          {texts.tools.useAll}
        </label>
      )}
      {reason && <p className="error-message">{reason}</p>}
      <ul>
        {tools.map((tool) => (
          <li key={tool.name}>
            <ToolLabel tool={tool} />
            <span className="faint">
              {name}.{tool.name}
            </span>
            {tool.description && <p>{tool.description}</p>}
            <div className="row">
              <label className="switch">
                <input
                  type="checkbox"
                  aria-label={texts.tools.use(fullName(tool))}
                  checked={!choice.disabled.has(fullName(tool))}
                  onChange={(event) => choice.setEnabled([fullName(tool)], event.target.checked)}
                />
                {texts.tools.useOne}
              </label>
              {status === "ready" && tool.for_model !== false && (
                <button type="button" className="last" aria-label={texts.tools.runTool(fullName(tool))} onClick={() => onTool(tool)}>
                  {texts.tools.run}
                </button>
              )}
            </div>
          </li>
        ))}
      </ul>
    </details>
  );
}
