/** Draws formulas. Loaded with the first formula. */
import katex from "katex";
import "katex/dist/katex.min.css";

/** Replace the TeX in an element with the formula. Invalid TeX stays, in red, with the reason as its title. */
export function drawMath(element: HTMLElement): void {
  const source = element.textContent ?? "";
  const displayMode = element.dataset["math"] === "block";
  // No links and pictures, and limits for sizes and macros: the source is the text of a model.
  katex.render(source, element, { displayMode, throwOnError: false, trust: false, maxSize: 20, maxExpand: 200 });
  element.removeAttribute("data-math");
}
