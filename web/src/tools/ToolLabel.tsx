import type { Tool } from "../api/types";
import { describeHints, iconOf } from "./hints";
import { texts } from "../texts";
import "./tools.css";

/** Title, icon and hints of a tool, as its server states them, unverified. */
export function ToolLabel({ tool }: { tool: Tool }) {
  const title = tool.title || tool.name;
  const icon = iconOf(tool);
  return (
    <span className="tool-label">
      {icon ? (
        <img className="tool-icon" src={icon} alt="" />
      ) : (
        <span className="tool-icon" aria-hidden="true">
          {[...title][0]?.toUpperCase()}
        </span>
      )}
      <span className="title">{title}</span>
      {describeHints(tool).map((hint) => (
        <span key={hint} className={hint === texts.tools.destructive ? "hint destructive" : "hint"}>
          {hint}
        </span>
      ))}
    </span>
  );
}
