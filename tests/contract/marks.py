"""Which test is marked with which clause, read from the source of the tests."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.contract.literals import dotted, parsed, text_arguments

TESTS = Path(__file__).parents[1]
_MARK = "pytest.mark.clause"
_NOT_RUN = {"pytest.mark.skip", "pytest.mark.xfail"}

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class MarkError(Exception):
    """A mark that links nothing; the message names its place."""


@dataclass(frozen=True)
class Mark:
    """A link: ``file`` is relative to the folder of all tests, ``test`` the name with its class."""

    file: str
    test: str
    clause: str


def find_marks(root: Path = TESTS) -> list[Mark]:
    """Find the marks in all files that pytest collects. Raises MarkError for one that links nothing."""
    return [mark for path in sorted(root.rglob("test_*.py")) for mark in _marks(path, path.relative_to(root))]


def _marks(path: Path, file: Path) -> Iterator[Mark]:
    tree = parsed(path)
    found = 0
    for name, decorators, around in _tests(tree):
        marks = [node for node in decorators if isinstance(node, ast.Call) and dotted(node.func) == _MARK]
        found += len(marks)
        if marks and any(dotted(getattr(node, "func", node)) in _NOT_RUN for node in [*decorators, *around]):
            raise MarkError(f"{file}: {name} proves nothing, since it is not run")
        yield from (Mark(file.as_posix(), name, clause) for mark in marks for clause in _clauses(mark, file))
    if found < sum(dotted(node) == _MARK for node in ast.walk(tree)):
        raise MarkError(f"{file}: a clause is marked elsewhere than on a test function")


def _tests(tree: ast.Module) -> Iterator[tuple[str, list[ast.expr], list[ast.expr]]]:
    """Give each test function with its name, its decorators and those of its class."""
    for node in tree.body:
        if isinstance(node, _Function) and node.name.startswith("test_"):
            yield node.name, node.decorator_list, []
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            for one in node.body:
                if isinstance(one, _Function) and one.name.startswith("test_"):
                    yield f"{node.name}::{one.name}", one.decorator_list, node.decorator_list


def _clauses(mark: ast.Call, file: Path) -> list[str]:
    try:
        return text_arguments(mark)
    except ValueError as error:
        raise MarkError(f"{file}: {error}") from error
