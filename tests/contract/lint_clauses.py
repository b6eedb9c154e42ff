"""Read the clauses that `satchel lint` checks from its source."""

import ast
from pathlib import Path

from tests.contract.source_literals import dotted_name, parse_file, string_arguments

LINT = Path(__file__).parents[2] / "local" / "lint"
OTHER_SPECIFICATION = "apps.py"
"""Its rules are those of MCP Apps, which is none of the five specifications."""


def read_lint_clauses(root: Path = LINT) -> dict[str, str]:
    """Return the sections of the clauses that lint findings name, by clause id."""
    trees = [parse_file(path) for path in root.rglob("*.py") if path.name != OTHER_SPECIFICATION]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    arguments = [string_arguments(call) for call in calls if dotted_name(call.func) == "Clause"]
    return {clause: section for clause, section in arguments}  # noqa: C416  (dict() does not take lists of two as pairs)
