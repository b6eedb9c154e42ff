"""Server made with fastmcp, whose tools have apps."""

from typing import Any

from fastmcp import FastMCP
from fastmcp.tools import ToolResult
from mcp_types import EmbeddedResource, TextContent, TextResourceContents

mcp = FastMCP("apps")
POLICY = {"connectDomains": ["https://api.example/", "*", "https://a.example; script-src *"]}


def tool(name: str, uri: str, *visibility: str) -> None:
    """Add a tool with this app."""

    def answer(text: str = "") -> dict[str, Any]:
        if text == "fail":
            raise ValueError(text)
        return {"text": text}

    answer.__name__ = name
    mcp.tool(answer, meta={"ui": {"resourceUri": uri, "visibility": list(visibility)}})


tool("show", "ui://demo/page", "model")
tool("show_text", "ui://demo/text")
tool("show_missing", "ui://demo/missing")
tool("show_web", "https://demo.example/page")
PROFILE = "text/html;profile=mcp-app"
META = {"ui": {"csp": POLICY, "permissions": {"clipboardWrite": {}, "camera": {}}, "prefersBorder": True}}


@mcp.resource("ui://demo/page", mime_type=PROFILE, meta=META)
def page() -> str:
    """Return a page."""
    return "<h1>Demo</h1>"


@mcp.resource("ui://demo/text", mime_type="text/plain")
def text() -> str:
    """Return no page."""
    return "plain"


@mcp.tool
def embed(text: str, mime: str = PROFILE, uri: str = "ui://demo/embedded") -> ToolResult:
    """Return a page in the result, as servers made for MCP-UI do."""
    resource = TextResourceContents(uri=uri, mime_type=mime, text=text)
    return ToolResult(content=[TextContent(text="before"), EmbeddedResource(resource=resource)])


if __name__ == "__main__":
    mcp.run(show_banner=False, log_level="ERROR")
