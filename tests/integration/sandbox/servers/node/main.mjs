// A server for Node in nothing but JSON-RPC: writes where it is told to, and says what came of it.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const WAYS = {
  write: (path) => writeFileSync(path, "x"),
  read: (path) => readFileSync(path, "utf8"),
  list: (path) => readdirSync(path).join(),
  command: (path) => execFileSync("/bin/sh", ["-c", `echo x > ${path}`], { stdio: "pipe" }).toString(),
};

function call({ way, path }) {
  try {
    return { content: [], structuredContent: { results: WAYS[way](path) ?? "done" } };
  } catch (error) {
    return { content: [{ type: "text", text: error.message }], isError: true };
  }
}

function answer(method, params) {
  const serverInfo = { name: "node", version: "1" };
  switch (method) {
    case "initialize":
      return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
    case "tools/list":
      return { tools: [{ name: "reach", inputSchema: { type: "object" } }] };
    case "tools/call":
      return call(params.arguments);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answer(method, params ?? {});
  const told = result ? { result } : { error: { code: -32601, message: `${method} is not known here` } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...told }) + "\n");
}
