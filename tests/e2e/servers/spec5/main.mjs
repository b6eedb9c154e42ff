// Gives the answers of answers.json by way of the SDK for Node.
//
// The SDK's Server looks at every result of a tool and drops what it does not know of a content block (forModel,
// metadata). With SPEC5_AS_IS it is told about the tool by its base class instead, as it went before it did so: then
// the whole answer goes over the wire.

import { readFileSync } from "node:fs";

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { Protocol } from "@modelcontextprotocol/sdk/shared/protocol.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const answers = JSON.parse(readFileSync(new URL("answers.json", import.meta.url), "utf-8"));
const tools = Object.keys(answers).map((name) => ({ name, inputSchema: { type: "object" } }));

const server = new Server({ name: "spec5", version: "1" }, { capabilities: { tools: {} } });
const handle = process.env.SPEC5_AS_IS ? Protocol.prototype.setRequestHandler : server.setRequestHandler;
handle.call(server, ListToolsRequestSchema, () => ({ tools }));
handle.call(server, CallToolRequestSchema, ({ params }) => answers[params.name]);

await server.connect(new StdioServerTransport());
