import { expect, test } from "vitest";
import { parseMarkdown } from "./parseMarkdown";

const html = (text: string) => parseMarkdown(text, "chat").map((block) => block.html).join("");

test("one text full of emphasis marks is shown without emphasis, and only this text", () => {
  const result = html(`**bold**\n\n${"*a_".repeat(40_000)}\n\n- [x] done`);
  expect(result).toContain("<strong>bold</strong>");
  expect(result).toContain("*a_*a_");
  expect(result).toContain('data-task="done"');
});

test("a table with many marks keeps its cells", () => {
  const rows = Array.from({ length: 400 }, (_, index) => `| snake_case_id_${index} | **${index}** |`).join("\n");
  const result = html(`| id | value |\n|---|---|\n${rows}`);
  expect(result.match(/<tr>/g)).toHaveLength(401);
  expect(result).toContain("<strong>399</strong>");
});

test("a link finds its definition in another block", () => {
  expect(html("See [docs][1].\n\nMore.\n\n[1]: https://example.com/docs")).toContain('href="https://example.com/docs"');
});

test("open and done tasks differ", () => {
  const result = html("- [ ] one\n- [x] two");
  expect(result).toContain('data-task="open"');
  expect(result).toContain('data-task="done"');
});

test.each([
  ["$E = mc^2$", '<span data-math="inline">E = mc^2</span>'],
  ["\\(a < b\\)", '<span data-math="inline">a &#60; b</span>'],
  ["$$\n\\int_0^1 x\n$$", '<div data-math="block">\\int_0^1 x</div>'],
  ["\\[\nx_1\n\\]", '<div data-math="block">x_1</div>'],
])("%s is a formula", (text, expected) => {
  expect(html(text)).toContain(expected);
});

test.each(["It costs $5 and $10.", "`$HOME$`", "US$ 3 or $ 4$"])("%s is no formula", (text) => {
  expect(html(text)).not.toContain("data-math");
});

test("a footnote and its mark have the same label", () => {
  expect(html("Text[^1].\n\n[^1]: The note.")).toBe("<p>Text<sup>1</sup>.</p>\n<p><sup>1</sup> The note.</p>");
});

test("hostile formulas and marks are parsed in a moment", () => {
  const start = performance.now();
  ["$".repeat(20_000), "$a".repeat(20_000), "\\(".repeat(20_000), "$$a".repeat(10_000), "[^".repeat(20_000)].forEach(html);
  expect(performance.now() - start).toBeLessThan(10_000);
});
