"""The calculator MCP server, an example of a minimal tool. It takes one string, returns `results` and creates no files.

Only tools with an argument `username` may write files. This tool has none, so its server cannot write to any folder.
"""

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError

MAX_LENGTH = 500  # maximum characters of an expression, which also limits its nesting depth
MAX_BITS = 3_300  # maximum size of an integer (about 1,000 digits); without it, 9**9**9 would exhaust time and memory

UNARY: dict[type[ast.unaryop], Callable[[float], float]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}
BINARY: dict[type[ast.operator], Callable[[float, float], complex]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}

mcp = FastMCP(name="calculator")


@mcp.tool(annotations={"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False})
def evaluate(expression: str) -> dict[str, Any]:
    """Evaluate an arithmetic expression and return its value.

    Supports numbers, parentheses and the operators + - * / // % **, with Python's precedence.

    Args:
        expression: The expression, for example "234*97" or "(1 + 2) ** 3 / 4".
    """
    return {"results": {"operation": "evaluate", "expression": expression, "result": calculate(expression)}}


def calculate(expression: str) -> float:
    """Return the value of an arithmetic expression. On failure, raise ToolError with a message for the user."""
    if len(expression) > MAX_LENGTH:
        raise ToolError(f"The expression is {len(expression):,} characters long; at most {MAX_LENGTH} are evaluated.")
    try:
        return _value(ast.parse(expression.strip(), mode="eval").body)
    except ZeroDivisionError as error:
        raise ToolError(f"{expression} divides by zero.") from error
    except OverflowError as error:
        raise ToolError(f"{expression} is too large to calculate.") from error
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # ast.parse can raise each of these errors
        raise ToolError(f"{expression!r} is not an arithmetic expression.") from error


def _value(node: ast.expr) -> float:
    """Evaluate a syntax tree. Raise ToolError for each node that is not arithmetic, so no other code can run."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return _checked(number)
        case ast.UnaryOp(op=op, operand=operand) if type(op) in UNARY:
            return _checked(UNARY[type(op)](_value(operand)))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
            return _checked(_apply(op, _value(left), _value(right)))
    raise ToolError("Only numbers, parentheses and + - * / // % ** can be evaluated.")


def _apply(op: ast.operator, left: float, right: float) -> complex:
    """Apply an operator. Raise OverflowError before computing a huge power: only powers can exhaust time and memory."""
    both_integers = isinstance(left, int) and isinstance(right, int)
    if isinstance(op, ast.Pow) and both_integers and abs(left) > 1 and math.log2(abs(left)) * right > MAX_BITS:
        raise OverflowError
    return BINARY[type(op)](left, right)


def _checked(number: complex) -> float:
    """Return the number. Raise ToolError if it is complex, or OverflowError if it is too large, infinite or NaN."""
    if isinstance(number, complex):
        raise ToolError("The result is not a real number.")
    if number.bit_length() > MAX_BITS if isinstance(number, int) else not math.isfinite(number):
        raise OverflowError
    return number


if __name__ == "__main__":
    mcp.run(show_banner=False, log_level="WARNING")
