import { expect, test } from "vitest";
import { isMarkdown } from "./markdownText";

test.each([
  ["table", "| a | b |\n|---|:-:|\n| 1 | 2 |"],
  ["table without outer bars", "a | b\n--- | ---\n1 | 2"],
  ["heading", "Text\n## Results\n"],
  ["list", "Found:\n- one\n- two"],
  ["numbered list", "1. one"],
  ["code", "Run:\n```sh\nls\n```"],
  ["bold text", "The **answer** is 3."],
  ["link", "See [the paper](https://example.com/1)."],
])("isMarkdown recognizes a %s", (_kind, text) => {
  expect(isMarkdown(text)).toBe(true);
});

test.each([
  ["plain text", "Done: 3 files, 2 * 3 * 4 values, snake_case_name"],
  ["JSON", '{"text": "**bold**"}'],
  ["a JSON list", '[\n  "# heading"\n]'],
  ["aligned columns", "PID   CMD\n  1   init\n-----------"],
  ["text too long to render", `# Title\n${"x".repeat(64_000)}`],
])("isMarkdown does not take %s for Markdown", (_kind, text) => {
  expect(isMarkdown(text)).toBe(false);
});

test("isMarkdown takes no more than a moment for hostile text", () => {
  const texts = ["**a".repeat(20_000), "[".repeat(64_000), `|${" - |".repeat(15_000)}x`, `|${" ".repeat(60_000)}x`];
  const start = performance.now();
  texts.forEach(isMarkdown);
  expect(performance.now() - start).toBeLessThan(1_000);
});
