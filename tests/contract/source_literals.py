"""Read string literals from Python source without importing it."""

import ast
from pathlib import Path


def parse_file(path: Path) -> ast.Module:
    """Parse a Python file."""
    return ast.parse(path.read_text("utf-8"), str(path))


def dotted_name(node: ast.AST) -> str:
    """Return a name with its attributes (``pytest.mark.clause``), or the empty string for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (parent := dotted_name(node.value)):
        return f"{parent}.{node.attr}"
    return ""


def string_arguments(call: ast.Call) -> list[str]:
    """Return the arguments of a call. Raise ValueError if it has none, or if one is not a string literal."""
    values = [node.value for node in call.args if isinstance(node, ast.Constant)]
    strings = [value for value in values if isinstance(value, str)]
    if call.keywords or not strings or len(strings) < len(call.args):
        raise ValueError(f"line {call.lineno}: not a string literal")
    return strings
