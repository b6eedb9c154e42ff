"""`docs/permissions.md`: what each role may do, read from the synthesised templates.

`python -m tests.infra.permissions` writes it.
"""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, product
from pathlib import Path

from infra.sources import ROOT
from tests.infra.conftest import read, synthesise
from tests.infra.deployment.reasons import reasons_for
from tests.infra.templates import Stacks, Statement

DOCUMENT = ROOT / "docs" / "permissions.md"

_HEAD = """\
# Permissions

What each function, and each other role of the stacks, may do. No role has a policy of AWS's making, no action has a
wildcard. `{Name}` is a resource of the stacks, by its name in the template; a `*` in a key of an object is a person.
`Call` is the role behind the credentials of one tool call, which dispatch cuts down to that call (`docs/security.md`).

This page is made of the synthesised templates (`.venv/bin/python -m tests.infra.permissions`); a test compares them.
Another one records every call of AWS in a run over all functions (`tests/infra/deployment/story.py`), looks whether the
role behind it allows it, and whether anything allowed is left over. What the run does not use has its reason here.
"""
_COLUMNS = ("| actions | resources | unseen in the run, since |", "|---|---|---|")


def document(stacks: Stacks) -> str:
    """Return the page."""
    statements = sorted(stacks.statements(), key=lambda each: each.who)
    roles = groupby(statements, key=lambda each: each.who)
    return "\n".join([_HEAD, *(line for who, own in roles for line in _role(who, own))])


def _role(who: str, statements: Iterator[Statement]) -> Iterator[str]:
    yield from (f"## {who}", "", *_COLUMNS)
    yield from (_row(statement) for statement in statements)
    yield ""


def _row(statement: Statement) -> str:
    where = [
        f"where {key} is {' or '.join(allowed)}"
        for keys in statement.conditions.values()
        for key, allowed in keys.items()
    ]
    parts = (
        _cells(statement.actions),
        " ".join([_cells(statement.resources), *where]),
        "<br>".join(_unseen(statement)),
    )
    return f"| {' | '.join(parts)} |"


def _cells(words: Sequence[str]) -> str:
    return "<br>".join(f"`{word}`" for word in words)


def _unseen(statement: Statement) -> Iterator[str]:
    """Give each reason once, with the actions that it is for and, where it is not for all, the resources."""
    found: dict[str, list[tuple[str, str]]] = {}
    for pair in product(statement.actions, statement.resources):
        if reason := next(reasons_for(statement.who, *pair), None):
            found.setdefault(reason, []).append(pair)
    for reason, pairs in found.items():
        actions = dict.fromkeys(action for action, _ in pairs)
        resources = dict.fromkeys(resource for _, resource in pairs)
        on = "" if len(resources) == len(statement.resources) else f" on {_named(resources)}"
        yield f"{_named(actions)}{on}: {reason}"


def _named(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        synthesise(Path(folder), "default")
        DOCUMENT.write_text(document(read(Path(folder) / "default")), "utf-8")
