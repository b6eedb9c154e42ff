"""The documents MCP server: tools that show a model what is in the user's files.

Files are hostile until proven otherwise, so each call reads its file in a forked process with limits, and the server
itself never opens it. No tool can write: none has the argument `username`.
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import ToolResult
from mcp_types import Annotations, ImageContent, TextContent, ToolAnnotations
from pydantic import Field

sys.path.insert(0, str(Path(__file__).parent))  # Satchel's `python -I` omits this folder from sys.path, so add it

from document_reader import actions  # type: ignore[import-not-found] # found at run time
from document_reader.child import run_in_child  # type: ignore[import-not-found] # the same
from document_reader.errors import DocumentError  # type: ignore[import-not-found] # the same

mcp = FastMCP(name="documents")

Positive = Annotated[int, Field(ge=1)]


Units = Annotated[str | int | None, Field(description="A number, or a range such as '3-7' or '3-'.")]
_OPERATION = ToolAnnotations(read_only_hint=True, open_world_hint=False)


@mcp.tool(annotations=_OPERATION)
async def read(
    filename: str,
    ctx: Context,
    pages: Units = None,
    rows: Units = None,
    lines: Units = None,
    bytes: Units = None,  # noqa: A002  (what a model calls it)
    sheet: str | None = None,
    offset: Annotated[int, Field(ge=0)] = 0,
) -> ToolResult:
    """Read a file as text or Markdown: the whole file, or as much as fits into one answer, and how to continue.

    Reads texts, code, CSV, JSON, XML, HTML, PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, e-mail, notebooks,
    Parquet and lists of ZIP archives. Call outline first if the file may be long, and search to find something in it.

    Args:
        filename: The file, for example "report.pdf".
        pages: Pages of a PDF document, slides, chapters of a book or cells of a notebook.
        rows: Rows of a table.
        lines: Lines of any other text.
        bytes: Bytes of any file (0 is the first), for example of a file of an unknown kind.
        sheet: The name or number of a sheet of a workbook. The default is the first one.
        offset: The number of characters to skip, only as an earlier answer says.
    """
    work = partial(actions.read, filename, pages, rows, sheet, lines, bytes, offset)
    return _text(await _run(work, ctx))


@mcp.tool(annotations=_OPERATION)
async def search(
    filename: str,
    pattern: str,
    ctx: Context,
    regex: bool = False,  # noqa: FBT001, FBT002  (an argument of a tool)
    match_case: bool = False,  # noqa: FBT001, FBT002  (the same)
    context: Annotated[int, Field(ge=0, le=10)] = 1,
    sheet: str | None = None,
    after: str | None = None,
) -> ToolResult:
    """Search a file of any size for a text, and get the lines that match with their positions.

    Args:
        filename: The file, for example "sales.csv".
        pattern: The text, or the regular expression (RE2: without lookaround) if regex is true.
        regex: Whether the pattern is a regular expression.
        match_case: Whether capital letters differ from small ones.
        context: The number of lines to show before and after each match.
        sheet: The name or number of a sheet of a workbook. The default is the first one.
        after: The position after which to continue, only as an earlier answer says.
    """
    return _text(await _run(partial(actions.search, filename, pattern, regex, match_case, context, sheet, after), ctx))


@mcp.tool(annotations=_OPERATION)
async def outline(filename: str, ctx: Context) -> ToolResult:
    """List what a file consists of: its kind and size, and its headings, pages, sheets, columns or members.

    Args:
        filename: The file, for example "book.xlsx".
    """
    return _text(await _run(partial(actions.outline, filename), ctx))


@mcp.tool(annotations=_OPERATION)
async def look(filename: str, ctx: Context, page: Positive | None = None, frame: Positive | None = None) -> ToolResult:
    """Look at a picture: a picture file, a page of a PDF document, or a frame of an animated or multi-page picture.

    The answer has the picture itself, at most 1568 pixels on its longest edge.

    Args:
        filename: The picture or PDF document, for example "chart.png".
        page: The page of a PDF document (1 is the first).
        frame: The frame of a GIF, TIFF or WebP picture (1 is the first).
    """
    picture = await _run(partial(actions.look, filename, page, frame), ctx)
    text = f"{Path(filename).name}: {picture['description']}, shown with {picture['shown']} pixels"
    # With this audience, Satchel shows the picture to the model and makes no file of the user from it.
    audience = Annotations(audience=["assistant"])
    image = ImageContent(type="image", data=picture["data"], mime_type=picture["mime"], annotations=audience)
    return ToolResult(content=[TextContent(type="text", text=text), image])


def _text(result: dict[str, Any]) -> ToolResult:
    return ToolResult(content=[TextContent(type="text", text=result["text"])])


async def _run(work: Callable[..., dict[str, Any]], ctx: Context) -> dict[str, Any]:
    async def report(share: float, message: str) -> None:
        await ctx.report_progress(100 * share, 100, message)

    try:
        result: dict[str, Any] = await run_in_child(work, report)
    except DocumentError as error:
        raise ToolError(str(error)) from None
    actions.import_readers(result.pop("readers"))
    return result


if __name__ == "__main__":
    mcp.run(show_banner=False, log_level="WARNING")
