import { expect, test } from "vitest";
import { isSendKey } from "./preferences";

const NONE = { key: "Enter", shiftKey: false, ctrlKey: false, metaKey: false };

test.each([
  [NONE, "enter", true],
  [NONE, "ctrl-enter", false],
  [{ ...NONE, ctrlKey: true }, "ctrl-enter", true],
  [{ ...NONE, metaKey: true }, "ctrl-enter", true],
  [{ ...NONE, ctrlKey: true }, "enter", true],
  [{ ...NONE, shiftKey: true }, "enter", false],
  [{ ...NONE, shiftKey: true, ctrlKey: true }, "ctrl-enter", false],
  [{ ...NONE, key: "a", ctrlKey: true }, "ctrl-enter", false],
] as const)("%o with the setting %s sends: %s", (event, chosen, sends) => {
  expect(isSendKey(event, chosen)).toBe(sends);
});
