import { expect, test } from "vitest";
import { isKnotted } from "./useMarkdown";

test("a paragraph of nothing but marks of emphasis is not looked into", () => {
  expect(isKnotted("*a_".repeat(40_000))).toBe(true);
});

test("a long text with emphasis in every sentence is", () => {
  expect(isKnotted("This is **bold** and _so_ is ~~that~~.\n\n".repeat(5_000))).toBe(false);
});
