// MCP server whose results embed pages, as the library of MCP-UI made them before MCP Apps.
"use strict";
const load = require("node:module").createRequire(`${process.env.PACKAGES}/package.json`);
const { McpServer } = load("@modelcontextprotocol/sdk/server/mcp.js");
const { StdioServerTransport } = load("@modelcontextprotocol/sdk/server/stdio.js");
const { createUIResource } = load("@mcp-ui/server");

const { SITE } = process.env;
const PAGE = `<!doctype html><title>Embedded</title><h1>Embedded page</h1><p id="outcome"></p><script>
(async () => {
  parent.postMessage({ type: "tool", payload: { toolName: "page", params: {} } }, "*");
  parent.postMessage({ type: "link", payload: { url: "${SITE}/link" } }, "*");
  const got = [];
  const attempt = async (name, act) => { try { await act(); got.push(name); } catch { /* refused */ } };
  await attempt("fetch", () => fetch("${SITE}/fetch", { mode: "no-cors" }));
  await attempt("storage", () => localStorage.length);
  await attempt("page", () => top.document.title);
  document.getElementById("outcome").textContent = "got " + (got.join() || "nothing") + " of " + origin;
})();
</script>`;

const server = new McpServer({ name: "mcp-ui", version: "1.0.0" });
const show = (name, content, encoding) =>
  server.registerTool(name, { description: "Show a page." }, async () => ({
    content: [{ type: "text", text: "shown" }, createUIResource({ uri: `ui://mcp-ui/${name}`, content, encoding })],
  }));
show("page", { type: "rawHtml", htmlString: PAGE }, "text");
show("encoded_page", { type: "rawHtml", htmlString: PAGE }, "blob");
show("address", { type: "externalUrl", iframeUrl: `${SITE}/view?a=1&b=2` }, "text");
server.connect(new StdioServerTransport());
