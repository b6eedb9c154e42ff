import { expect, test } from "vitest";
import type { Tool } from "../api/types";
import { describeHints, iconOf } from "./hints";

const TOOL = { server: "guide", name: "look", description: "", input_schema: {}, output_schema: null } as unknown as Tool;

test("icons of other sites are not used", () => {
  const foreign = { src: "https://icons.example/a.png" };
  expect(iconOf({ ...TOOL, icons: [foreign] } as Tool)).toBeNull();
  expect(iconOf({ ...TOOL, icons: [foreign, { src: "data:image/png;base64,AA" }] } as Tool)).toBe("data:image/png;base64,AA");
});

test("hints are described, and missing ones say nothing", () => {
  const describe = (hints: object | null) => describeHints({ ...TOOL, hints } as Tool);
  expect(describe(null)).toEqual([]);
  expect(describe({ read_only: null, destructive: null })).toEqual([]);
  expect(describe({ read_only: true, destructive: true, open_world: true })).toEqual(["Read-only", "Uses outside systems"]);
  expect(describe({ read_only: false, destructive: true, idempotent: true })).toEqual(["Destructive", "Safe to repeat"]);
});
