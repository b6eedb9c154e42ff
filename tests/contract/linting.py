"""The clauses that `satchel lint` names, read from its source."""

import ast
from pathlib import Path

from tests.contract.literals import dotted, parsed, text_arguments

LINT = Path(__file__).parents[2] / "local" / "lint"


def linted_clauses(root: Path = LINT) -> dict[str, str]:
    """Return the ids that findings carry, each with the place that they name."""
    trees = [parsed(path) for path in root.rglob("*.py")]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [text_arguments(call) for call in calls if dotted(call.func) == "Clause"]
    return {clause: place for clause, place in named}  # noqa: C416  (lists of two, which dict() does not take as pairs)
