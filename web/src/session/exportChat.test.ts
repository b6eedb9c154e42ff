import { expect, test } from "vitest";
import { toFileName, toMarkdown } from "./exportChat";

const AT = "2026-08-27T09:30:05Z";

test("a chat becomes Markdown with a heading for each message and answer", () => {
  const turns = [
    { message: "Hello", answer: "Hi **there**", created_at: AT },
    { message: "And now?", answer: "", created_at: AT },
  ];
  expect(toMarkdown("Sales", turns)).toBe(
    "# Sales\n\n## You · 2026-08-27 09:30\n\nHello\n\n## Satchel\n\nHi **there**\n\n## You · 2026-08-27 09:30\n\nAnd now?\n",
  );
});

test.each([
  ["a/b: c?", "a b c"],
  ["..", "chat"],
  ["", "chat"],
  ["x".repeat(100), "x".repeat(80)],
])("the title %j gives the file name %j", (title, name) => {
  expect(toFileName(title)).toBe(name);
});
