import { expect, test } from "vitest";
import { branchesOf, START } from "./branches";

const chat = (...after: (string | null)[]) => after.map((named, index) => ({ turnId: "abcdefgh"[index] ?? "", after: named }));
type Turns = ReturnType<typeof chat>;
const ids = (turns: readonly { turnId: string }[]): string => turns.map(({ turnId }) => turnId).join("");
const shown = (turns: Turns, last: string | null, hasOlder = false): string => ids(branchesOf(turns, last, hasOlder).shown);
const beside = (turns: Turns, index: number, hasOlder = false): string =>
  ids(branchesOf(turns, null, hasOlder).alternatives(turns[index] ?? { turnId: "", after: null }));

test("a chat without edited messages is one branch", () => {
  const turns = chat(null, null, null);
  expect(shown(turns, null)).toBe("abc");
  expect(shown(turns, "b")).toBe("ab");
  expect(beside(turns, 1)).toBe("b");
});

test("an edited message begins a branch, and the original keeps its own", () => {
  const turns = chat(null, null, null, "a", null);
  expect(shown(turns, null)).toBe("ade");
  expect(shown(turns, "c")).toBe("abc");
  expect(beside(turns, 1)).toBe("bd");
  expect(beside(turns, 3)).toBe("bd");
  const { newestBehind } = branchesOf(turns, null, false);
  expect(turns.map((turn) => newestBehind(turn).turnId)).toEqual(["e", "c", "c", "e", "e"]);
});

test("the first message can be edited", () => {
  const turns = chat(null, null, START);
  expect(shown(turns, null)).toBe("c");
  expect(beside(turns, 2)).toBe("ac");
});

test("the turn before the first loaded one is not known", () => {
  const turns = chat(null, null, "z");
  const [first] = turns;
  expect(first && branchesOf(turns, null, true).before(first)).toBeNull();
  expect(first && branchesOf(turns, null, false).before(first)).toBe(START);
  expect(beside(turns, 0, true)).toBe("a");
  expect(shown(turns, null, true)).toBe("c");
  expect(shown(turns, "b", true)).toBe("ab");
});

test("turns that follow each other end the branch", () => {
  expect(shown(chat(null, "c", "b"), null)).toBe("bc");
});
