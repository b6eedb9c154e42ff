"""Example server and registration of the guide for authors, verbatim."""

MAIN = '''\
from fastmcp import FastMCP
from typing import Dict, Any

mcp = FastMCP(name="MyExampleServer")

@mcp.tool
def my_tool(parameter: str) -> Dict[str, Any]:
    """
    A simple tool that takes a string and returns a dictionary.
    The docstring is used as the tool's description for the LLM.
    """
    # The dictionary you return is the 'results' object.
    return {
        "input_received": parameter,
        "status": "success"
    }

if __name__ == "__main__":
    mcp.run()
'''

HTML_REPORT = '''\
import base64

@mcp.tool
def create_html_report(title: str) -> Dict[str, Any]:
    """Generates and returns an HTML report as an artifact."""
    html_content = f"<html><body><h1>{title}</h1></body></html>"
    b64_content = base64.b64encode(html_content.encode()).decode()

    return {
        "results": {"summary": f"Successfully generated report: {title}"},
        "artifacts": [{
            "name": "report.html",
            "b64": b64_content,
            "mime": "text/html"
        }],
        "display": {
            "open_canvas": True,
            "primary_file": "report.html"
        }
    }
'''

REGISTRATION = """\
{
  "MyExampleServer": {
    "command": ["python", "mcp/MyExampleServer/main.py"],
    "cwd": "backend",
    "groups": ["users"],
    "description": "An example server with a simple tool."
  }
}
"""
