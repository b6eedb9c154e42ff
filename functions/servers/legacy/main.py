"""The legacy MCP server, an example of the first tool contract: it returns file names and file contents in two arrays.

Such tools still work, but base64 in a result is copied in memory several times, so it suits only small files. New tools
should write files and return their paths in `artifacts`, as the report server does.
"""

import base64
import csv
import io
import json
from typing import Annotated, Any

from fastmcp import FastMCP
from pydantic import Field

COLUMNS = ("number", "square", "cube")

mcp = FastMCP(name="legacy")


@mcp.tool(annotations={"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False})
def export_table(rows: Annotated[int, Field(ge=1, le=10_000)] = 3) -> dict[str, Any]:
    """Export a table of the numbers from 1 with their squares and cubes, as the files table.csv and table.json.

    Args:
        rows: The number of rows.
    """
    table = [dict(zip(COLUMNS, (n, n**2, n**3), strict=True)) for n in range(1, rows + 1)]
    return {
        "results": f"Exported {rows:,} rows (see files).",
        "returned_file_names": ["table.csv", "table.json"],
        "returned_file_contents": [_base64(_csv(table)), _base64(json.dumps(table))],
        "meta_data": {"rows": rows, "columns": len(COLUMNS)},
    }


def _csv(table: list[dict[str, int]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(table)
    return text.getvalue()


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode("ascii")


if __name__ == "__main__":
    mcp.run(show_banner=False, log_level="WARNING")
