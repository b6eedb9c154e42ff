import { expect, test } from "vitest";
import { commandOf } from "./shortcuts";

const NONE = { key: "", ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };

test.each([
  [{ key: "k", ctrlKey: true }, "palette"],
  [{ key: "k", metaKey: true }, "palette"],
  [{ key: "O", ctrlKey: true, shiftKey: true }, "newChat"],
  [{ key: "o", ctrlKey: true }, null],
  [{ key: "/", ctrlKey: true }, "list"],
  [{ key: "/", ctrlKey: true, shiftKey: true }, "list"],
  [{ key: "k" }, null],
  [{ key: "k", ctrlKey: true, altKey: true }, null],
])("%o is the command %s", (press, command) => {
  expect(commandOf({ ...NONE, ...press })).toBe(command);
});
