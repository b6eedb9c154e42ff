"""Read from the source of the tests which test is marked with which clause."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.contract.source_literals import dotted_name, parse_file, string_arguments

TESTS = Path(__file__).parents[1]
_MARK = "pytest.mark.clause"
_END_TO_END = "e2e/"
_NOT_RUN = {"pytest.mark.skip", "pytest.mark.xfail"}

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class MarkError(Exception):
    """A clause mark that links no clause to a test that runs; the message names the file."""


@dataclass(frozen=True)
class Mark:
    """A test that proves a clause. ``file`` is relative to the tests folder; ``test`` includes the class name."""

    file: str
    test: str
    clause: str

    @property
    def is_end_to_end(self) -> bool:
        """Return True if the test uses the running system, through its HTTP API or in a browser."""
        return self.file.startswith(_END_TO_END)


def find_marks(root: Path = TESTS) -> list[Mark]:
    """Return the marks in all files that pytest collects. Raise MarkError for an invalid mark."""
    return [mark for path in sorted(root.rglob("test_*.py")) for mark in _marks(path, path.relative_to(root))]


def _marks(path: Path, file: Path) -> Iterator[Mark]:
    tree = parse_file(path)
    seen = 0
    for name, decorators, class_decorators in _tests(tree):
        marks = [node for node in decorators if isinstance(node, ast.Call) and dotted_name(node.func) == _MARK]
        seen += len(marks)
        if marks and any(_is_not_run(node) for node in [*decorators, *class_decorators]):
            raise MarkError(f"{file}: {name} proves nothing, because it does not run")
        yield from (Mark(file.as_posix(), name, clause) for mark in marks for clause in _clauses(mark, file))
    if seen < sum(dotted_name(node) == _MARK for node in ast.walk(tree)):
        raise MarkError(f"{file}: a clause mark is not on a test function")


def _tests(tree: ast.Module) -> Iterator[tuple[str, list[ast.expr], list[ast.expr]]]:
    """Yield the name, the decorators and the class decorators of each test function."""
    for node in tree.body:
        if isinstance(node, _Function) and node.name.startswith("test_"):
            yield node.name, node.decorator_list, []
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            for member in node.body:
                if isinstance(member, _Function) and member.name.startswith("test_"):
                    yield f"{node.name}::{member.name}", member.decorator_list, node.decorator_list


def _is_not_run(decorator: ast.expr) -> bool:
    return dotted_name(getattr(decorator, "func", decorator)) in _NOT_RUN


def _clauses(mark: ast.Call, file: Path) -> list[str]:
    try:
        return string_arguments(mark)
    except ValueError as error:
        raise MarkError(f"{file}: {error}") from error
