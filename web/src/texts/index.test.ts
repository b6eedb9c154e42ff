import { expect, test } from "vitest";
import { chooseLanguage } from "./index";

test.each([
  [["de-AT", "en"], "de"],
  [["fr", "de"], "de"],
  [[null, "en-US", "de"], "en"],
  [["fr-FR"], "en"],
  [["constructor"], "en"],
  [[], "en"],
])("of %s, the page uses %s", (tags, language) => {
  expect(chooseLanguage(tags)).toBe(language);
});
