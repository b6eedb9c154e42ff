"""Tools that ask the user while they run, in each way of FastMCP's ``ctx.elicit``."""

from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from fastmcp import Context, FastMCP

mcp = FastMCP("asking_older")


class Urgency(Enum):
    """A choice."""

    LOW = "low"
    HIGH = "high"


@dataclass
class Trip:
    """A form with several fields."""

    city: str
    days: int
    pace: Literal["slow", "fast"]
    insured: bool = True


KINDS: dict[str, Any] = {
    "text": str,
    "number": int,
    "yes_or_no": bool,
    "enum": Urgency,
    "choice": ["red", "blue"],
    "choices": [["red", "blue"]],
    "titles": {"r": {"title": "Red"}, "b": {"title": "Blue"}},
    "form": Trip,
}


@mcp.tool(output_schema=None)
async def ask(context: Context, kinds: list[str]) -> str:
    """Ask questions of these kinds, one after the other, and return what the user has answered."""
    answers = []
    for kind in kinds:
        answer = await context.elicit(f"Which {kind}?", response_type=KINDS[kind])
        answers.append(f"{kind}: {answer.action} {getattr(answer, 'data', '')}")
        if answer.action != "accept":
            break
    return "\n".join(answers)


@mcp.tool(output_schema=None, annotations={"readOnlyHint": True})
async def look(context: Context) -> str:
    """Ask at what to look. Changes nothing, so that it can be repeated."""
    answer = await context.elicit("At what?", response_type=str)
    return f"{answer.action} {getattr(answer, 'data', '')}"


if __name__ == "__main__":
    mcp.run(show_banner=False)
