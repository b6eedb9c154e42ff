/** Highlights code and draws formulas and diagrams in rendered Markdown. Each library is loaded with its first use. */

/** Complete the elements of a rendered block. Return a function that cancels what has not been loaded yet. */
export function enrichMarkdown(element: HTMLElement): () => void {
  let isCurrent = true;
  for (const link of element.querySelectorAll<HTMLElement>("a[data-file]")) link.replaceWith(toFileButton(link));
  const load = <Module>(selector: string, module: () => Promise<Module>, use: (found: HTMLElement[], module: Module) => void) => {
    const found = [...element.querySelectorAll<HTMLElement>(selector)];
    if (found.length > 0) void module().then((loaded) => isCurrent && use(found, loaded));
  };
  load(
    'pre > code:not([data-language="mermaid"])',
    () => import("./highlight"),
    (found, { highlightElement }) => found.forEach(highlightElement),
  );
  load(
    "[data-math]",
    () => import("./drawMath"),
    (found, { drawMath }) => found.forEach(drawMath),
  );
  load(
    'pre > code[data-language="mermaid"]',
    () => import("./drawDiagram"),
    (found, { drawDiagram }) => found.forEach((code) => void drawDiagram(code)),
  );
  return () => {
    isCurrent = false;
  };
}

/** Return a button for a link to a file. The sanitizer removes all buttons of a text, so each button is the page's own. */
function toFileButton(link: HTMLElement): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "file-link";
  button.dataset["file"] = link.dataset["file"] ?? "";
  button.append(...link.childNodes);
  return button;
}
