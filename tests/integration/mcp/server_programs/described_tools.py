"""Server made with fastmcp, whose tools have titles, annotations, icons and visibility."""

from fastmcp import FastMCP
from mcp_types import Icon, ToolAnnotations

mcp = FastMCP("described")


@mcp.tool(
    title="Wipe the disk",
    annotations=ToolAnnotations(
        read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
    ),
    icons=[
        Icon(src="https://icons.example/wipe.png", mime_type="image/png", sizes=["48x48"]),
        Icon(src="javascript:alert(1)"),
        Icon(src="http://icons.example/wipe.png"),
    ],
)
def wipe() -> str:
    return "wiped"


@mcp.tool(annotations=ToolAnnotations(read_only_hint=True))
def look() -> str:
    return "seen"


@mcp.tool(annotations=ToolAnnotations(read_only_hint=False, destructive_hint=False))
def add() -> str:
    return "added"


@mcp.tool(annotations=ToolAnnotations(open_world_hint=True))
def unsure() -> str:
    return "?"


@mcp.tool(meta={"openai/fileParams": ["picture", "pages"]})
def print_files(picture: dict[str, str], pages: list[dict[str, str]], copies: int = 1) -> str:
    return f"{picture} {pages} {copies}"


@mcp.tool(meta={"ui": {"visibility": ["app"]}})
def app_only() -> str:
    return "app"


@mcp.tool(meta={"ui": {"visibility": ["app", "model"]}})
def app_and_model() -> str:
    return "both"


if __name__ == "__main__":
    mcp.run(show_banner=False, log_level="ERROR")
