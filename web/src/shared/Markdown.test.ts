import { expect, test } from "vitest";
import { hasTooMuchEmphasis } from "./Markdown";

test("hasTooMuchEmphasis returns true for one paragraph full of emphasis marks", () => {
  expect(hasTooMuchEmphasis("*a_".repeat(40_000))).toBe(true);
});

test("hasTooMuchEmphasis returns false for a long text with emphasis in every sentence", () => {
  expect(hasTooMuchEmphasis("This is **bold** and _so_ is ~~that~~.\n\n".repeat(5_000))).toBe(false);
});
