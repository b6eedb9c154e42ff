// A server with the SDK's protocol, whose package comes from the layer with the packages of the lock file.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "plain", version: "1" });
server.registerTool("version", { description: "Return the version of Node." }, () => ({
  content: [{ type: "text", text: process.version }],
}));
await server.connect(new StdioServerTransport());
