"""The FastMCP tools that specification 3 prints, with the standard library in place of pandas."""

import csv
from collections import Counter
from pathlib import Path
from typing import Any

from fastmcp import Context, FastMCP

Json = dict[str, Any]
CHUNKS = 20

mcp = FastMCP("spec3_printed")


@mcp.tool()
def process_data(filename: str, username: str) -> Json:
    """Section 5.2, Example Secure File Operations."""
    output_path = f"/tmp/{username}/processed_data.parquet"
    Path(output_path).write_bytes(b"PAR1" + Path(filename).read_bytes())
    return {
        "artifacts": [
            {"name": "processed_data.parquet", "path": output_path, "mime": "application/octet-stream"},
        ]
    }


@mcp.tool()
def process_data_by_required_patterns(filename: str, username: str) -> Json:
    """Section 10.1, Required Patterns."""
    output_path = f"/tmp/{username}/results.parquet"
    Path(output_path).write_bytes(b"PAR1" + Path(filename).read_bytes())
    return {"artifacts": [{"name": "results.parquet", "path": output_path, "mime": "application/octet-stream"}]}


@mcp.tool()
def analyze_dataset(filename: str, username: str) -> Json:
    """Analyze dataset - works with any size file"""
    with Path(filename).open() as file:
        rows = list(csv.DictReader(file))
    sales: Counter[str] = Counter()
    for row in rows:
        sales[row["category"]] += int(row["sales"])
    output_path = f"/tmp/{username}/analysis_results.html"
    Path(output_path).write_text("".join(f"<p>{category}: {total}</p>" for category, total in sales.items()))
    return {
        "results": {"rows_processed": len(rows)},
        "artifacts": [
            {
                "name": "analysis_results.html",
                "path": output_path,
                "mime": "text/html",
                "description": "Analysis results report",
            }
        ],
    }


@mcp.tool()
async def process_large_dataset(filename: str, username: str, ctx: Context) -> Json:  # noqa: ARG001  (as printed)
    """Section 11.2, Example Progress Reporting."""
    await ctx.info("Starting data processing...")
    await ctx.report_progress(0, 100)
    for i in range(CHUNKS):
        if i % 10 == 0:
            progress = (i / CHUNKS) * 100
            await ctx.info(f"Processed {i}/{CHUNKS} chunks ({progress:.1f}%)")
            await ctx.report_progress(i, CHUNKS)
    return {"results": {"status": "completed"}}


if __name__ == "__main__":
    mcp.run(show_banner=False)
