"""Tools that ask the user before they answer."""

from typing import Any

from fastmcp import Context, FastMCP
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult, InputRequiredResult

FORM = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "title": "City", "minLength": 2},
        "days": {"type": "integer", "title": "Days", "minimum": 1, "maximum": 9, "default": 3},
    },
    "required": ["city"],
}

mcp = FastMCP("asking")


def _ask(context: Context, params: ElicitRequestFormParams | ElicitRequestURLParams) -> Any:  # noqa: ANN401  (a result of MCP)
    """Return the request for an answer or, if the user has answered, the answer."""
    answer = (context.input_responses or {}).get("it")
    if isinstance(answer, ElicitResult):
        return {"action": answer.action, "content": answer.content}
    return InputRequiredResult(input_requests={"it": ElicitRequest(params=params)})


@mcp.tool(output_schema=None)
def plan(context: Context, question: str) -> Any:  # noqa: ANN401  (a result of MCP)
    """Ask for a city and a number of days."""
    return _ask(context, ElicitRequestFormParams(message=question, requested_schema=FORM))


@mcp.tool(output_schema=None)
def visit(context: Context, url: str) -> Any:  # noqa: ANN401  (a result of MCP)
    """Ask the user to visit a page."""
    return _ask(context, ElicitRequestURLParams(message="Sign in", url=url))


if __name__ == "__main__":
    mcp.run(show_banner=False)
