"""MCP server whose app uses the official SDK, records what it gets, and leaves everything else to the test.

Its arguments are the file of the SDK and, optionally, the folder whose files let calls go.
"""

import json
import sys
from pathlib import Path
from typing import Any

import anyio
from fastmcp import FastMCP

SDK = Path(sys.argv[1]).read_text("utf-8")
GATE = anyio.Path(sys.argv[2] if len(sys.argv) > 2 else "/")
_APP = """<!doctype html>
<title>Demo</title>
<style>body { margin: 0; background: #fff; color: #000 }</style>
<button id="first">First</button> <input aria-label="Field"> <button id="last">Last</button>
<p id="result"></p>
<script type="module">
const { App } = await import(URL.createObjectURL(new Blob([SDK], { type: "text/javascript" })));
const modes = { availableDisplayModes: ["inline", "fullscreen", "pip"] };
const app = new App({ name: "demo", version: "1" }, modes, { autoResize: false });
const events = [];
const now = () => performance.timeOrigin + performance.now();
app.ontoolinput = (params) => events.push(["tool-input", params]);
app.ontoolinputpartial = (params) => events.push(["tool-input-partial", params]);
app.ontoolcancelled = (params) => events.push(["tool-cancelled", params]);
app.onhostcontextchanged = (params) => events.push(["host-context-changed", params]);
app.ontoolresult = (params) => {
  events.push(["tool-result", params]);
  result.textContent = params.content[0].text;
  requestAnimationFrame(() => Object.assign(window, { drawnAt: now() }));
};
app.onteardown = async () => {
  await app.sendLog({ level: "info", data: "closing" });
  return {};
};
Object.assign(window, { app, events, startedAt: now() });
await app.connect();
</script>"""

mcp = FastMCP("demo")
MIME = "text/html;profile=mcp-app"


APP = "ui://demo/app"
DECLARING = "ui://demo/declaring"
"""The same app, whose server declares a domain."""


@mcp.resource(APP, mime_type=MIME)
@mcp.resource(DECLARING, mime_type=MIME, meta={"ui": {"csp": {"connectDomains": ["https://api.example"]}}})
def page() -> str:
    """Return the app."""
    script = json.dumps(SDK).replace("</", "<\\/")
    return _APP.replace("[SDK]", f"[{script}]")


def show(text: str = "") -> dict[str, Any]:
    """Show a text in the app."""
    if text == "fail":
        raise ValueError(text)
    return {"shown": text}


async def show_later(text: str = "") -> dict[str, Any]:
    """Show a text in the app, after a text that starts with "held" when the test lets it go."""
    gate = GATE / text
    while text.startswith("held") and not await gate.exists():  # noqa: ASYNC110  (the test is another process)
        await anyio.sleep(0.05)
    return show("fail" if text.endswith("fail") else text)


async def show_declaring(text: str = "") -> dict[str, Any]:
    """Show a text like ``show_later``, in an app that declares a domain."""
    return await show_later(text)


def show_other(text: str = "") -> dict[str, Any]:
    """Show a text in another app."""
    return {"shown": text}


for tool, app in ((show, APP), (show_later, APP), (show_other, APP), (show_declaring, DECLARING)):
    mcp.tool(tool, meta={"ui": {"resourceUri": app}})


@mcp.tool
def ping() -> str:
    """Return a text."""
    return "pong"


@mcp.tool
async def wait() -> str:
    """Return nothing for an hour."""
    await anyio.sleep(3600)
    return "done"


if __name__ == "__main__":
    mcp.run(show_banner=False, log_level="ERROR")
