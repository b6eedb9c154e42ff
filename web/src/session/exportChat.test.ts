import { expect, test } from "vitest";
import { toExportedName, toFileName, toMarkdown } from "./exportChat";

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

test.each([
  ["explore.app.html", "app", "explore.still.html"],
  ["page.html", "html", "page.html"],
  ["report.app.html", null, "report.app.html"],
])("the file %j with the viewer %j is exported as %j", (name, viewer, exported) => {
  expect(toExportedName({ name, viewer })).toBe(exported);
});
