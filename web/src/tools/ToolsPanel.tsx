import type { ToolServer } from "../api/types";
import { ToolLabel } from "./ToolLabel";
import { useServers } from "./useServers";

/** The servers that the user may use, with their state and their tools. */
export default function ToolsPanel() {
  const servers = useServers();
  if (servers.status === "loading") return <p className="faint tools">Loading…</p>;
  if (servers.status === "failed") return <p className="error-message tools">{servers.message}</p>;
  return (
    <section className="tools" aria-label="Tools">
      {servers.value.map((server) => (
        <Server key={server.name} server={server} />
      ))}
    </section>
  );
}

function Server({ server: { name, title, description, status, reason, tools } }: { server: ToolServer }) {
  return (
    <details>
      <summary>
        {title || name} <span className="faint">{status === "ready" ? `${tools.length} ${tools.length === 1 ? "tool" : "tools"}` : status}</span>
      </summary>
      {description && <p>{description}</p>}
      {reason && <p className="error-message">{reason}</p>}
      <ul>
        {tools.map((tool) => (
          <li key={tool.name}>
            <ToolLabel tool={tool} />
            <span className="faint">
              {name}.{tool.name}
            </span>
            {tool.description && <p>{tool.description}</p>}
          </li>
        ))}
      </ul>
    </details>
  );
}
