// Node server in plain JSON-RPC. Its tool accesses a path in the requested way, and returns the result or the error.
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
  const reply = result ? { result } : { error: { code: -32601, message: `unknown method ${method}` } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...reply }) + "\n");
}
