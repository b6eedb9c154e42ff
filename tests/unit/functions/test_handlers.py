"""Each function is a folder with one thin handler, which knows its own bootstrap module and no other function."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

FUNCTIONS = Path(__file__).parents[3] / "functions"
HANDLERS = sorted(path for path in FUNCTIONS.glob("*/handler.py"))
# What several handlers speak: the words of the system, a use case's own; and the way from API Gateway to ASGI.
SHARED = ("satchel.bootstrap.observed", "satchel.domain.", "satchel.ports.", "satchel.services.", "mangum")


def modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield node.module or "."
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("handler", HANDLERS, ids=lambda path: path.parent.name)
def test_a_handler_imports_its_own_bootstrap_module_and_no_other_function(handler: Path) -> None:
    own = f"satchel.bootstrap.{handler.parent.name}"
    known = sys.stdlib_module_names
    strange = [
        name
        for name in modules(handler)
        if name != own and name.partition(".")[0] not in known and not name.startswith(SHARED)
    ]
    assert strange == []
    assert own in set(modules(handler))


@pytest.mark.parametrize("handler", HANDLERS, ids=lambda path: path.parent.name)
def test_a_function_is_one_thin_handler(handler: Path) -> None:
    assert [path.name for path in handler.parent.iterdir() if path.name != "__pycache__"] == ["handler.py"]
    assert len(handler.read_text(encoding="utf-8").splitlines()) <= 40


def test_every_function_is_looked_at() -> None:
    others = {"servers", "__pycache__"}
    folders = {path.name for path in FUNCTIONS.iterdir() if path.is_dir() and path.name not in others}
    assert {path.parent.name for path in HANDLERS} == folders
