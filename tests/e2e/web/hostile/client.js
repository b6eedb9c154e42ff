// A hand-written app: it speaks the protocol of MCP Apps without the SDK, so that it can also break it.
"use strict";
const ATTACKER = "${ATTACKER}"; // a server that must hear nothing
const UDP = "${UDP}";
const HOST = new URL(location.ancestorOrigins[location.ancestorOrigins.length - 1]).origin;

const received = [];
const pending = new Map();
let nextId = 1;

addEventListener("message", ({ source, data }) => {
  if (source !== parent || typeof data !== "object" || data?.jsonrpc !== "2.0") return;
  if (data.method === undefined) pending.get(data.id)?.(data);
  else {
    received.push(data);
    if (data.id !== undefined) parent.postMessage({ jsonrpc: "2.0", id: data.id, result: {} }, "*");
  }
});

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const notify = (method, params = {}) => parent.postMessage({ jsonrpc: "2.0", method, params }, "*");
const request = (method, params = {}) =>
  new Promise((resolve) => {
    const id = nextId++;
    pending.set(id, resolve);
    parent.postMessage({ jsonrpc: "2.0", id, method, params }, "*");
  });
const report = (text) => notify("notifications/message", { level: "info", logger: "app", data: text });
const call = async (name, args = {}) => (await request("tools/call", { name, arguments: args })).result;

/** Add an element with attributes to the page, and return it. */
const add = (tag, attributes = {}, text = "", at = document.body) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  at.append(element);
  return element;
};

/** Run the steps. A step that returns something has got it; one that throws, or ends late, has got nothing. */
const run = async (steps) => {
  const got = {};
  const all = Object.entries(steps);
  for (const [index, [name, step]] of all.entries()) {
    report(`tries ${name}, ${all.length - 1 - index} left`);
    try {
      const value = await Promise.race([step(), pause(1_000)]);
      if (value !== undefined && value !== null && value !== false && value !== "") got[name] = String(value);
    } catch {
      // refused
    }
  }
  return got;
};

addEventListener("load", async () => {
  const start = { protocolVersion: "2026-01-26", appInfo: { name: "hostile", version: "1" }, appCapabilities: {} };
  await request("ui/initialize", start);
  notify("ui/notifications/initialized");
  while (!received.some(({ method }) => method === "ui/notifications/tool-result")) await pause(20);
  const { steps = {}, after } = ATTACKS["${NAME}"];
  const got = await run(steps);
  await pause(300); // for requests that no event tells about
  report(`ended ${JSON.stringify(got)}`);
  await request("ping"); // the page has the report; what follows may stop every message
  await pause(500);
  await after?.();
});
