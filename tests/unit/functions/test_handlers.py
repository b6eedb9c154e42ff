"""Each function is a folder with one small handler, which imports a composition root and no other function."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

FUNCTIONS = Path(__file__).parents[3] / "functions"
HANDLERS = sorted(path for path in FUNCTIONS.glob("*/handler.py"))
COMPOSITION_ROOTS = {"satchel.bootstrap.api", "satchel.bootstrap.functions", "satchel.bootstrap.runner"}
SHARED = (
    "satchel.adapters.",
    "satchel.bootstrap.observed",
    "satchel.domain.",
    "satchel.entrypoints.",
    "satchel.ports.",
    "satchel.services.",
    "mangum",
)
"""Other modules that handlers import: logging, types of events, and adapters to load before the first event."""


def modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield node.module or "."
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("handler", HANDLERS, ids=lambda path: path.parent.name)
def test_handler_imports_one_composition_root_and_no_other_function(handler: Path) -> None:
    imported = set(modules(handler))
    others = {name for name in imported if name.partition(".")[0] not in sys.stdlib_module_names}
    assert {name for name in others - COMPOSITION_ROOTS if not name.startswith(SHARED)} == set()
    assert len(imported & COMPOSITION_ROOTS) == 1


@pytest.mark.parametrize("handler", HANDLERS, ids=lambda path: path.parent.name)
def test_function_folder_has_one_handler_of_max_40_lines(handler: Path) -> None:
    assert [path.name for path in handler.parent.iterdir() if path.name != "__pycache__"] == ["handler.py"]
    assert len(handler.read_text(encoding="utf-8").splitlines()) <= 40


def test_all_function_folders_have_a_handler() -> None:
    not_functions = {"servers", "__pycache__"}
    folders = {path.name for path in FUNCTIONS.iterdir() if path.is_dir() and path.name not in not_functions}
    assert {path.parent.name for path in HANDLERS} == folders
