import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SandboxFrame } from "./sandboxFrame";

const ORIGIN = "https://apps.example";
const READY = { jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} };
const FIRST: JSONRPCMessage = { jsonrpc: "2.0", id: 1, method: "ui/initialize", params: {} };
const SECOND: JSONRPCMessage = { jsonrpc: "2.0", method: "ui/notifications/initialized" };

const page = { postMessage: vi.fn() };
let listeners: Set<(event: unknown) => void>;

beforeEach(() => {
  page.postMessage.mockReset();
  listeners = new Set();
  const element = { setAttribute: vi.fn(), remove: vi.fn(), contentWindow: page };
  vi.stubGlobal("document", { createElement: () => element });
  vi.stubGlobal("addEventListener", (_: string, listener: (event: unknown) => void) => listeners.add(listener));
  vi.stubGlobal("removeEventListener", (_: string, listener: (event: unknown) => void) => listeners.delete(listener));
});

afterEach(() => void vi.unstubAllGlobals());

function open(writesClipboard = false): SandboxFrame {
  return SandboxFrame.open({ origin: ORIGIN, policy: "default-src 'none'", writesClipboard }, { append: vi.fn() } as unknown as Element);
}

function receive(data: unknown, source: unknown = page, origin = ORIGIN): void {
  for (const listener of listeners) listener({ data, source, origin });
}

function resource(permissions: object) {
  return { jsonrpc: "2.0", method: "ui/notifications/sandbox-resource-ready", params: { html: "<p>", permissions } };
}

test("the frame gets its page when it is ready, only for its origin", () => {
  const frame = open();
  frame.show("<p>");
  expect(page.postMessage).not.toHaveBeenCalled();
  receive(READY);
  expect(page.postMessage.mock.calls).toEqual([[resource({}), ORIGIN]]);
});

test("a frame that is ready gets its page at once", () => {
  const frame = open(true);
  receive(READY);
  expect(page.postMessage).not.toHaveBeenCalled();
  frame.show("<p>");
  expect(page.postMessage.mock.calls).toEqual([[resource({ clipboardWrite: {} }), ORIGIN]]);
});

test("messages of other windows and origins are ignored", () => {
  const frame = open();
  frame.show("<p>");
  receive(READY, {});
  receive(READY, page, "null");
  expect(page.postMessage).not.toHaveBeenCalled();
});

test("messages from before the bridge are passed on once, in order", async () => {
  const frame = open();
  receive(READY);
  receive(FIRST);
  const received: unknown[] = [];
  frame.onmessage = (message) => received.push(message);
  expect(received).toEqual([]);
  await frame.start();
  receive(SECOND);
  expect(received).toEqual([FIRST, SECOND]);
});

test("a removed frame hears nothing", async () => {
  const frame = open();
  frame.onmessage = vi.fn();
  await frame.start();
  frame.remove();
  receive(FIRST);
  expect(frame.onmessage).not.toHaveBeenCalled();
});
