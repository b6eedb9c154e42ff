import { describe, expect, test } from "vitest";
import { describeProblems, listFacts } from "./metaData";

describe("describeProblems", () => {
  test("describes each problem that Satchel reports in one sentence", () => {
    const metaData = {
      rows: 3,
      artifact_problems: [{ name: "bad.png", code: "E_INVALID_ARTIFACT", reason: "The base64 is invalid." }, "and 3 more"],
      canvas_refused: "The canvas has no url.",
      unresolved_files: { "sale.csv": ["sales.csv", "sales (2).csv"], "x.txt": [] },
      security_violations: [
        { attempted_path: "/etc/x", allowed_prefix: "/tmp/ann/" },
        { changed_path: "/var/y", allowed_prefix: "/tmp/ann/", blocked: false },
      ],
    };

    expect(describeProblems(metaData)).toEqual([
      "“bad.png” was not stored: The base64 is invalid.",
      "and 3 more",
      "The dashboard was not opened. The canvas has no url.",
      "There is no file “sale.csv”, so the tool did not receive it. Similar names: “sales.csv”, “sales (2).csv”.",
      "There is no file “x.txt”, so the tool did not receive it.",
      "The tool's access to “/etc/x” was blocked. It may only write in “/tmp/ann/”.",
      "“/var/y” was changed by another program or by the tool during the call.",
    ]);
    expect(listFacts(metaData)).toEqual([["rows", "3"]]);
  });

  test("leaves values of another form to the facts", () => {
    const metaData = { artifact_problems: 3, canvas_refused: ["x"], unresolved_files: null, security_violations: [1] };

    expect(describeProblems(metaData)).toEqual([]);
    expect(listFacts(metaData).map(([name]) => name)).toEqual(Object.keys(metaData));
  });
});

test("listFacts shows text as it is and other values as JSON, without what the call shows elsewhere", () => {
  const metaData = { is_error: true, error_code: "E_X", source: "PubMed", ms: 12, steps: ["a", 1], none: null };

  expect(listFacts(metaData)).toEqual([
    ["source", "PubMed"],
    ["ms", "12"],
    ["steps", '["a",1]'],
    ["none", "null"],
  ]);
});

test("listFacts leaves out the class and the empty details of an error, and keeps a tool's own fields of these names", () => {
  const failure = { is_error: true, error_code: "E_TOOL_FAILED", reason: "ToolFailed" };

  expect(listFacts({ ...failure, details: {} })).toEqual([]);
  expect(listFacts({ ...failure, details: { exit_code: 3 } })).toEqual([["details", '{"exit_code":3}']]);
  expect(listFacts({ reason: "cached", details: {} })).toEqual([
    ["reason", "cached"],
    ["details", "{}"],
  ]);
});
