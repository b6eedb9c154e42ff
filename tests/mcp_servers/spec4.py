"""The example server of specification 4, with the tools of its sections 1 and 2 as printed."""

import base64
from typing import Any, Dict  # noqa: UP035  (as printed)

from fastmcp import FastMCP

mcp = FastMCP(name="MyExampleServer")


@mcp.tool
def my_tool(parameter: str) -> Dict[str, Any]:  # noqa: UP006  (as printed)
    """
    A simple tool that takes a string and returns a dictionary.
    The docstring is used as the tool's description for the LLM.
    """
    # The dictionary you return is the 'results' object.
    return {"input_received": parameter, "status": "success"}


@mcp.tool
def create_html_report(title: str) -> Dict[str, Any]:  # noqa: UP006  (as printed)
    """Generates and returns an HTML report as an artifact."""
    html_content = f"<html><body><h1>{title}</h1></body></html>"
    b64_content = base64.b64encode(html_content.encode()).decode()

    return {
        "results": {"summary": f"Successfully generated report: {title}"},
        "artifacts": [{"name": "report.html", "b64": b64_content, "mime": "text/html"}],
        "display": {"open_canvas": True, "primary_file": "report.html"},
    }


if __name__ == "__main__":
    mcp.run()
