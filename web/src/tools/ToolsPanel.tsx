import type { Tool, ToolServer } from "../api/types";
import { fullName } from "../chat/findOffers";
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

/** The servers that the user may use, with their state and their tools. */
export default function ToolsPanel({ choice, onTool }: ToolsPanelProps) {
  const servers = useServers();
  if (servers.status === "loading") return <p className="faint tools">{texts.app.loading}</p>;
  if (servers.status === "failed") return <p className="error-message tools">{servers.message}</p>;
  return (
    <section className="tools" aria-label={texts.tools.tools}>
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
        {title || name} <span className="faint">{status === "ready" ? texts.tools.count(tools.length) : texts.tools.status[status]}</span>
      </summary>
      {description && <p>{description}</p>}
      {tools.length > 0 && (
        <label className="switch">
          <input
            type="checkbox"
            checked={names.some((each) => !choice.disabled.has(each))}
            onChange={(event) => choice.setEnabled(names, event.target.checked)}
          />
          {texts.tools.use(title || name)}
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
                {texts.tools.on}
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
