"""Reading text literals out of Python source, so that nothing need be imported to know what it says."""

import ast
from pathlib import Path


def parsed(path: Path) -> ast.Module:
    """Parse a file of Python."""
    return ast.parse(path.read_text("utf-8"), str(path))


def dotted(node: ast.AST) -> str:
    """Write a name with its attributes: ``pytest.mark.clause``; anything else is the empty text."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := dotted(node.value)):
        return f"{before}.{node.attr}"
    return ""


def text_arguments(call: ast.Call) -> list[str]:
    """Return the arguments of a call. Raises ValueError if there are none, or one is no literal text."""
    values = [node.value for node in call.args if isinstance(node, ast.Constant)]
    texts = [value for value in values if isinstance(value, str)]
    if call.keywords or not texts or len(texts) < len(call.args):
        raise ValueError(f"line {call.lineno}: not a literal text")
    return texts
