import { expect, test } from "vitest";

import { Reads } from "./useReading";

test("what is changed while answers are on their way holds for each of them, and for no later one", async () => {
  const reads = new Reads<string>();
  const first = reads.wait(Promise.resolve("first"));
  reads.note((value) => `${value}, renamed`);
  const second = reads.wait(Promise.resolve("second"));
  reads.note((value) => `${value}, kept`);
  const came = await Promise.all([first, second]);
  const third = reads.wait(Promise.resolve("third"));
  expect([...came, await third].map(([answer, changed]) => changed(answer))).toEqual([
    "first, renamed, kept",
    "second, kept",
    "third",
  ]);
});

test("an answer that does not come is an error, and nothing is kept for it", async () => {
  const reads = new Reads<string>();
  await expect(reads.wait(Promise.reject<string>(new Error("no connection")))).rejects.toThrow("no connection");
  const [answer, changed] = await reads.wait(Promise.resolve("came"));
  expect(changed(answer)).toBe("came");
});
