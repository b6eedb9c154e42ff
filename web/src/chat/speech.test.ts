import { expect, test } from "vitest";
import { toSpeech } from "./speech";

test.each([
  ["## Sales\n\n- **May**: [12](https://example.com)\n- June: `13`", "Sales\n\n May : 12\nJune: 13"],
  ["Run this:\n```sh\nls -l\n```\nDone.", "Run this:\n \nDone."],
  ["```\nunfinished", ""],
])("%j is read without marks and code", (markdown, speech) => {
  expect(toSpeech(markdown)).toBe(speech);
});
