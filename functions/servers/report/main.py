"""The report MCP server, an example for tool authors: a tool that reads a file and creates two, and a tool with an app.

- Satchel sets `filename` to the path of a readable file, and `username` to the name of the only writable folder,
  /tmp/{username}/. The tool returns the paths of its files, so files of any size work.
- The work runs in a thread, step by step, so the event loop can send progress messages between steps.
"""

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

from fastmcp import Context, FastMCP

sys.path.insert(0, str(Path(__file__).parent))  # Satchel's `python -I` omits this folder from sys.path, so add it

from csv_report import Table, draw_chart, read_in_steps, render_page  # type: ignore[import-not-found] # found at run time
from explorer import explorer_page  # type: ignore[import-not-found]

MAX_LISTED = 50  # maximum columns in `results`, which the model reads; the HTML report describes all columns

EXPLORER = "ui://report/explorer.html"

mcp = FastMCP(name="report")


@mcp.tool
async def summarise(filename: str, username: str, ctx: Context) -> dict[str, Any]:
    """Summarize a CSV file: count its rows and describe each column, with an HTML report and a PNG chart.

    Columns of numbers are described by minimum, mean, maximum and sum, others by their number of distinct values.
    The separator (comma, semicolon, tab or vertical bar) is detected. The first row contains the column names.

    Args:
        filename: The CSV file, for example "sales.csv".
        username: The user's name, set by the client.
    """
    started = time.perf_counter()
    source = Path(filename)
    table = await _read(source, ctx)
    await ctx.report_progress(95, 100, "Writing the report")
    artifacts = await _write(table, source, Path("/tmp", username))
    return {
        "results": {
            "file": source.name,
            "rows": table.rows,
            "columns": len(table.columns),
            "summary": [column.describe(table.rows) for column in table.columns[:MAX_LISTED]],
        },
        "meta_data": {
            "delimiter": table.delimiter,
            "ragged_rows": table.ragged,
            "columns_not_listed": len(table.columns[MAX_LISTED:]),
            "elapsed_ms": round((time.perf_counter() - started) * 1000),
        },
        "artifacts": artifacts,
        "display": {
            "open_canvas": True,
            "primary_file": artifacts[0]["name"],
            "mode": "replace",
            "viewer_hint": "html",
        },
    }


@mcp.resource(EXPLORER, mime_type="text/html;profile=mcp-app", title="CSV explorer")
def explorer() -> str:
    """Show the page in which the user filters, sorts, charts and saves the rows of a CSV file."""
    return explorer_page()  # type: ignore[no-any-return]


@mcp.tool(title="CSV explorer", meta={"ui": {"resourceUri": EXPLORER}}, annotations={"readOnlyHint": True})
async def explore(filename: str, ctx: Context) -> dict[str, Any]:
    """Open a CSV file in an app in which the user filters, sorts and charts its rows, and saves some as a new file.

    The first row contains the column names. The result has the number of rows and the names of the columns.

    Args:
        filename: The CSV file, for example "sales.csv".
    """
    source = Path(filename)
    table = await _read(source, ctx)
    columns = [column.name for column in table.columns[:MAX_LISTED]]
    return {
        "results": {"file": source.name, "rows": table.rows, "columns": columns},
        "meta_data": {"delimiter": table.delimiter},
    }


async def _read(source: Path, ctx: Context) -> Table:
    steps = read_in_steps(source)
    while step := await asyncio.to_thread(next, steps, None):
        table, share = step
        await ctx.report_progress(90 * share, 100, f"{table.rows:,} rows read")
    return table


async def _write(table: Table, source: Path, folder: Path) -> list[dict[str, str]]:
    """Write the report page and, if the table has rows, the chart. Name both files after the source file."""
    stem = source.stem.encode()[:200].decode(errors="ignore")  # cut to fit the 255-byte limit of file names
    page, chart = folder / f"{stem}_report.html", folder / f"{stem}_chart.png"
    page.write_text(await asyncio.to_thread(render_page, source.name, table), encoding="utf-8")
    artifacts = [_artifact(page, "text/html", f"Report on {source.name}", category="report", viewer="html")]
    if table.rows:
        await asyncio.to_thread(draw_chart, source.name, table, chart)
        description = f"Chart of {source.name}"
        artifacts.append(_artifact(chart, "image/png", description, category="visualization", viewer="image"))
    return artifacts


def _artifact(path: Path, mime: str, description: str, *, category: str, viewer: str) -> dict[str, str]:
    details = {"description": description, "category": category, "viewer": viewer}
    return {"name": path.name, "path": str(path), "mime": mime, **details}


if __name__ == "__main__":
    mcp.run(show_banner=False, log_level="WARNING")
