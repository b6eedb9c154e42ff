import type { Tool, ToolServer } from "../api/types";
import { fullName } from "../chat/useCommands";
import { ToolLabel } from "./ToolLabel";
import { useServers } from "./useServers";
import type { ToolChoice } from "./useToolChoice";

interface ToolsPanelProps {
  /** Which tools the open chat uses. */
  choice: ToolChoice;
  /** Opens the form of a tool. */
  onTool(tool: Tool): void;
}

/** The servers that the user may use, with their state and their tools. */
export default function ToolsPanel({ choice, onTool }: ToolsPanelProps) {
  const servers = useServers();
  if (servers.status === "loading") return <p className="faint tools">Loading…</p>;
  if (servers.status === "failed") return <p className="error-message tools">{servers.message}</p>;
  return (
    <section className="tools" aria-label="Tools">
      {servers.value.map((server) => (
        <Server key={server.name} server={server} choice={choice} onTool={onTool} />
      ))}
    </section>
  );
}

function Server({ server, choice, onTool }: ToolsPanelProps & { server: ToolServer }) {
  const { name, title, description, status, reason, tools } = server;
  const names = tools.map(fullName);
  return (
    <details>
      <summary>
        {title || name} <span className="faint">{status === "ready" ? `${tools.length} ${tools.length === 1 ? "tool" : "tools"}` : status}</span>
      </summary>
      {description && <p>{description}</p>}
      {tools.length > 0 && (
        <label className="switch">
          <input
            type="checkbox"
            checked={names.some((each) => !choice.disabled.has(each))}
            onChange={(event) => choice.setEnabled(names, event.target.checked)}
          />
          Use {title || name} in this chat
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
                  aria-label={`Use ${fullName(tool)} in this chat`}
                  checked={!choice.disabled.has(fullName(tool))}
                  onChange={(event) => choice.setEnabled([fullName(tool)], event.target.checked)}
                />
                On
              </label>
              {status === "ready" && tool.for_model !== false && (
                <button type="button" className="last" aria-label={`Run ${fullName(tool)}`} onClick={() => onTool(tool)}>
                  Run…
                </button>
              )}
            </div>
          </li>
        ))}
      </ul>
    </details>
  );
}
