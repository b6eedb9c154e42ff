"""Server made with fastmcp, whose tools return links to its resources."""

from fastmcp import FastMCP
from mcp_types import ResourceLink, TextContent

mcp = FastMCP("linking", list_page_size=2)


@mcp.resource("demo://text/1", mime_type="text/plain")
def text() -> str:
    return "first"


@mcp.resource("demo://blob/1", mime_type="application/octet-stream")
def blob() -> bytes:
    return bytes(range(4))


@mcp.resource("demo://large")
def large() -> str:
    return "x" * 40_000_000


@mcp.resource("demo://reports/{year}", mime_type="text/csv")
def report(year: str) -> str:
    return f"year\n{year}"


@mcp.prompt(title="Compare years")
def compare(year: str, other: str = "2025") -> str:
    """Compares two years."""
    return f"Compare {year} with {other}."


@mcp.tool
def links(uris: list[str]) -> list[TextContent | ResourceLink]:
    found = [ResourceLink(type="resource_link", uri=uri, name=f"Part {uri[-1]} of {uri[7:11]}") for uri in uris]
    return [TextContent(type="text", text="see"), *found]


if __name__ == "__main__":
    mcp.run(show_banner=False, log_level="ERROR")
