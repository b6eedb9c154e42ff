"""Server made with fastmcp, whose tools return links to its resources."""

from fastmcp import FastMCP
from fastmcp.prompts import Message
from mcp_types import (
    CompletionArgument,
    CompletionContext,
    EmbeddedResource,
    ImageContent,
    PromptReference,
    ResourceLink,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)

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


def linked(uri: str, name: str) -> Message:
    """Return a message with a link, which the constructor of fastmcp would convert to text."""
    link = ResourceLink(type="resource_link", uri=uri, name=name)
    return Message.model_construct(role="user", content=link)  # type: ignore[arg-type]


@mcp.prompt
def dialog() -> list[Message]:
    return [Message("Which year?"), Message("2026, of course.", role="assistant")]


@mcp.prompt
def review() -> list[Message]:
    note = TextResourceContents(uri="demo://notes/today", text="remember", mime_type="text/plain")
    return [
        Message(TextContent(type="text", text="Review these.")),
        Message(EmbeddedResource(type="resource", resource=note)),
        Message(ImageContent(type="image", data="iVBORw0KGgo=", mime_type="image/png")),
        linked("demo://text/1", "first.txt"),
    ]


@mcp.prompt
def lost() -> list[Message]:
    return [linked("demo://missing", "missing.txt")]


@mcp.prompt
def refuse() -> str:
    raise ValueError("not today")


@mcp.completion
def complete(
    ref: PromptReference | ResourceTemplateReference, argument: CompletionArgument, context: CompletionContext | None
) -> list[str] | None:
    if not isinstance(ref, PromptReference) or (ref.name, argument.name) != ("compare", "other"):
        return None
    chosen = (context.arguments if context else None) or {}
    before = int(chosen.get("year", "2026"))
    years = [str(year) for year in range(2020, before)]
    return [year for year in years if year.startswith(argument.value)]


@mcp.tool
def links(uris: list[str]) -> list[TextContent | ResourceLink]:
    found = [ResourceLink(type="resource_link", uri=uri, name=f"Part {uri[-1]} of {uri[7:11]}") for uri in uris]
    return [TextContent(type="text", text="see"), *found]


if __name__ == "__main__":
    mcp.run(show_banner=False, log_level="ERROR")
