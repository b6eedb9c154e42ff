"""The report server: one tool that reads a file and makes two, the way a tool for Satchel is written.

- `filename` arrives as the path of a file that can be opened, `username` as the name of the one folder that may be
  written, /tmp/{username}/; the client sets both. What the tool makes is returned by path, whatever its size.
- The work runs in a thread, step by step: the event loop stays free, so progress leaves while the next step runs.
"""

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

from fastmcp import Context, FastMCP

sys.path.insert(0, str(Path(__file__).parent))  # servers are started with `python -I`, which leaves this folder out

from csv_report import Table, draw_chart, read_in_steps, render_page  # type: ignore[import-not-found] # found there

MAX_LISTED = 50  # columns in `results`, which the model reads; the report has them all

mcp = FastMCP(name="report")


@mcp.tool
async def summarise(filename: str, username: str, ctx: Context) -> dict[str, Any]:
    """Summarise a CSV file: count its rows and describe each column, with an HTML report and a PNG chart.

    Columns of numbers are described by minimum, mean, maximum and sum, others by how many different values they hold.
    The separator (comma, semicolon, tab or bar) is found out; the first row names the columns.

    Args:
        filename: The CSV file, for example "sales.csv".
        username: Set by the client.
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
            "summary": [column.facts(table.rows) for column in table.columns[:MAX_LISTED]],
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


async def _read(source: Path, ctx: Context) -> Table:
    steps = read_in_steps(source)
    while step := await asyncio.to_thread(next, steps, None):
        table, share = step
        await ctx.report_progress(90 * share, 100, f"{table.rows:,} rows read")
    return table


async def _write(table: Table, source: Path, folder: Path) -> list[dict[str, str]]:
    """Write the page and, where there is something to draw, the chart; both are named after the file."""
    stem = source.stem.encode()[:200].decode(errors="ignore")  # a file's name must stay below 256 bytes
    page, chart = folder / f"{stem}_report.html", folder / f"{stem}_chart.png"
    page.write_text(await asyncio.to_thread(render_page, source.name, table), encoding="utf-8")
    artifacts = [_artifact(page, "text/html", f"Report on {source.name}", category="report", viewer="html")]
    if table.rows:
        await asyncio.to_thread(draw_chart, source.name, table, chart)
        about = f"Chart of {source.name}"
        artifacts.append(_artifact(chart, "image/png", about, category="visualization", viewer="image"))
    return artifacts


def _artifact(path: Path, mime: str, description: str, *, category: str, viewer: str) -> dict[str, str]:
    about = {"description": description, "category": category, "viewer": viewer}
    return {"name": path.name, "path": str(path), "mime": mime, **about}


if __name__ == "__main__":
    mcp.run(show_banner=False, log_level="WARNING")
