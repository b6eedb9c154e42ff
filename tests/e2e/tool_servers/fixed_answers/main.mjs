// Server that returns the answers of answers.json, built with the SDK for Node.
//
// The SDK's Server checks every tool result and drops the fields of a content block that it does not know (forModel,
// metadata). With SKIP_SDK_CHECKS the handlers are registered on its base class, as in older versions of the SDK:
// then the client receives the whole answer.

import { readFileSync } from "node:fs";

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { Protocol } from "@modelcontextprotocol/sdk/shared/protocol.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const answers = JSON.parse(readFileSync(new URL("answers.json", import.meta.url), "utf-8"));
const tools = Object.keys(answers).map((name) => ({ name, inputSchema: { type: "object" } }));

const server = new Server({ name: "fixed_answers", version: "1" }, { capabilities: { tools: {} } });
const setRequestHandler = process.env.SKIP_SDK_CHECKS ? Protocol.prototype.setRequestHandler : server.setRequestHandler;
setRequestHandler.call(server, ListToolsRequestSchema, () => ({ tools }));
setRequestHandler.call(server, CallToolRequestSchema, ({ params }) => answers[params.name]);

await server.connect(new StdioServerTransport());
