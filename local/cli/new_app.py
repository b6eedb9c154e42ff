"""The files of a new MCP server with an app: its program, and the page that hosts of MCP Apps show."""

_PROGRAM = '''\
from pathlib import Path
from typing import Any

from fastmcp import FastMCP

APP = "ui://@NAME@/app.html"

mcp = FastMCP("@NAME@")


@mcp.resource(APP, mime_type="text/html;profile=mcp-app")
def app() -> str:
    """Return the page that shows the result."""
    return Path(__file__).with_name("app.html").read_text(encoding="utf-8")


@mcp.tool(meta={"ui": {"resourceUri": APP}})
def count_words(text: str) -> dict[str, Any]:
    """Count the lines and words of a text. The user can count other texts in an app.

    Args:
        text: The text.
    """
    return {"results": {"lines": len(text.splitlines()), "words": len(text.split())}}


if __name__ == "__main__":
    mcp.run(show_banner=False, log_level="WARNING")
'''

PAGE = """\
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Count words</title>
    <style>
      :root { color-scheme: light dark; }
      body { color: var(--color-text-primary, CanvasText); font: 14px/1.5 system-ui, sans-serif; margin: 12px; }
      textarea { box-sizing: border-box; font: inherit; width: 100%; }
    </style>
  </head>
  <body>
    <label for="text">Text</label>
    <textarea id="text" rows="6"></textarea>
    <button id="count" type="button">Count</button>
    <p id="result" role="status"></p>
    <script>
      // JSON-RPC with the page that shows this one (MCP Apps), as the library @modelcontextprotocol/ext-apps does it.
      const pending = new Map();
      const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
      const request = (method, params) =>
        new Promise((resolve, reject) => {
          const id = pending.size + 1;
          pending.set(id, { resolve, reject });
          send({ id, method, params });
        });
      addEventListener("message", ({ source, data: { id, method, params, result, error } }) => {
        if (source !== parent) return;
        if (method === "ui/notifications/tool-input") text.value = params.arguments.text;
        else if (method === "ui/notifications/tool-result") show(params);
        else if (method === "ui/notifications/host-context-changed") applyTheme(params);
        else if (method && id !== undefined) send({ id, result: {} });
        else if (error) pending.get(id)?.reject(new Error(error.message));
        else pending.get(id)?.resolve(result);
      });

      const text = document.getElementById("text");
      function show({ isError, structuredContent }) {
        const { lines, words } = structuredContent?.results ?? {};
        document.getElementById("result").textContent = isError ? "The tool failed." : `${lines} lines, ${words} words`;
      }
      function applyTheme({ theme }) {
        if (theme) document.documentElement.style.colorScheme = theme;
      }
      document.getElementById("count").onclick = async () => {
        show(await request("tools/call", { name: "count_words", arguments: { text: text.value } }));
      };

      const app = { appInfo: { name: "@NAME@", version: "1.0.0" }, appCapabilities: {} };
      request("ui/initialize", { protocolVersion: "2026-01-26", ...app }).then(({ hostContext }) => {
        applyTheme(hostContext);
        send({ method: "ui/notifications/initialized", params: {} });
      });
    </script>
  </body>
</html>
"""


def app_server_files(name: str) -> dict[str, str]:
    """Return the files of a new MCP server with an app, by name."""
    return {"main.py": _PROGRAM.replace("@NAME@", name), "app.html": PAGE.replace("@NAME@", name)}
