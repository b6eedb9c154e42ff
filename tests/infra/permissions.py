"""`docs/permissions.md`: the permissions of each role in the synthesized templates.

`python -m tests.infra.permissions` writes it.
"""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, product
from pathlib import Path

from infra.sources import ROOT
from tests.infra.conftest import read_stacks, synthesize
from tests.infra.deployment.unused_permissions import reasons_for
from tests.infra.templates import Stacks, Statement

DOCUMENT = ROOT / "docs" / "permissions.md"

_HEAD = """\
# Permissions

The permissions of each function and of each other role. No role has an AWS managed policy, and no action has a
wildcard. `{Name}` is a resource of the stacks with its name in the template. In a pattern of object keys, the first `*`
is the user. `Call` is the role behind the credentials of a tool call; dispatch limits it to one call
(`docs/security.md`).

This page is generated from the synthesized templates (`.venv/bin/python -m tests.infra.permissions`), and a test
compares them. Another test records all AWS requests in a run of all functions (`tests/infra/deployment/scenario.py`),
checks that the function's role allows each of them, and that each permission is used. The last column has the reason
for a permission that the run does not use.
"""
_COLUMNS = ("| actions | resources | reason if unused in the run |", "|---|---|---|")


def document(stacks: Stacks) -> str:
    """Return the document as Markdown."""
    statements = sorted(stacks.statements(), key=lambda each: each.role)
    roles = groupby(statements, key=lambda each: each.role)
    return "\n".join([_HEAD, *(line for role, own in roles for line in _section(role, own))])


def _section(role: str, statements: Iterator[Statement]) -> Iterator[str]:
    yield from (f"## {role}", "", *_COLUMNS)
    yield from (_row(statement) for statement in statements)
    yield ""


def _row(statement: Statement) -> str:
    conditions = [
        f"if {key} is {' or '.join(allowed)}" for keys in statement.conditions.values() for key, allowed in keys.items()
    ]
    parts = (
        _cells(statement.actions),
        " ".join([_cells(statement.resources), *conditions]),
        "<br>".join(_reasons(statement)),
    )
    return f"| {' | '.join(parts)} |"


def _cells(words: Sequence[str]) -> str:
    return "<br>".join(f"`{word}`" for word in words)


def _reasons(statement: Statement) -> Iterator[str]:
    """Yield each reason once, with its actions and, if it does not apply to all resources, its resources."""
    pairs_by_reason: dict[str, list[tuple[str, str]]] = {}
    for pair in product(statement.actions, statement.resources):
        if reason := next(reasons_for(statement.role, *pair), None):
            pairs_by_reason.setdefault(reason, []).append(pair)
    for reason, pairs in pairs_by_reason.items():
        actions = dict.fromkeys(action for action, _ in pairs)
        resources = dict.fromkeys(resource for _, resource in pairs)
        on = "" if len(resources) == len(statement.resources) else f" on {_join(resources)}"
        yield f"{_join(actions)}{on}: {reason}"


def _join(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        synthesize(Path(folder), "default")
        DOCUMENT.write_text(document(read_stacks(Path(folder) / "default")), "utf-8")
