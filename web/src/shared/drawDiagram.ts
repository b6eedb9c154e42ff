/** Draws diagrams of Mermaid code. Loaded with the first diagram. */
import mermaid from "mermaid";
import { texts } from "../texts";

let lastId = 0;

/** Show the diagram above its code. Code that is not a complete diagram, as while it streams, stays code. */
export async function drawDiagram(code: HTMLElement): Promise<void> {
  const block = code.closest(".code-block");
  if (!block || block.querySelector("img")) return;
  const chosen = document.documentElement.dataset["theme"];
  const isDark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    htmlLabels: false, // a picture shows no HTML
    flowchart: { htmlLabels: false },
    theme: isDark ? "dark" : "default",
    suppressErrorRendering: true,
  });
  lastId += 1;
  const drawn = await mermaid.render(`diagram-${lastId}`, code.textContent ?? "").catch(() => null);
  if (drawn === null || !code.isConnected) return;
  const picture = document.createElement("img");
  // A picture runs no scripts and loads nothing, whatever its code says.
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawn.svg)}`;
  picture.alt = texts.shared.diagram;
  block.prepend(picture);
}
