import { describe, expect, it } from "vitest";

import { parseDashboardMessage } from "./dashboardMessages";

describe("parseDashboardMessage", () => {
  it.each([
    [{ type: "satchel:ready" }, { type: "ready" }],
    [
      { type: "satchel:action", action: "acknowledge", details: { alert: 17 } },
      { type: "action", action: "acknowledge", details: { alert: 17 } },
    ],
    [{ type: "satchel:action", action: "x", details: [1] }, { type: "action", action: "x", details: {} }],
    [{ type: "satchel:action", action: "" }, null],
    [{ type: "satchel:action", action: 7 }, null],
    [{ type: "other" }, null],
    ["satchel:ready", null],
    [null, null],
  ])("parses %j as %j", (data, message) => {
    expect(parseDashboardMessage(data)).toEqual(message);
  });
});
