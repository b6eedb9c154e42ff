import { describe, expect, it } from "vitest";

import { addToken, beginsBridge, parseDashboardMessage } from "./dashboardMessages";

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

describe("addToken", () => {
  it.each([
    ["https://dash.example/view?id=7", "a.b-c_d", "https://dash.example/view?id=7#token=a.b-c_d"],
    ["https://dash.example/view", "a+b/c=&d #é", "https://dash.example/view#token=a%2Bb%2Fc%3D%26d%20%23%C3%A9"],
    ["https://dash.example/#/view", "secret", "https://dash.example/#/view"],
    ["https://dash.example/", null, "https://dash.example/"],
  ])("turns %s and %s into %s", (url, token, expected) => {
    expect(addToken(url, token)).toBe(expected);
  });
});

describe("beginsBridge", () => {
  it.each([
    [{ jsonrpc: "2.0", id: 0, method: "ui/initialize" }, true],
    [{ jsonrpc: "2.0", method: "tools/call" }, false],
    [{ type: "satchel:ready" }, false],
    [null, false],
    ["ui/initialize", false],
  ])("%o: %s", (data, expected) => {
    expect(beginsBridge(data)).toBe(expected);
  });
});
