"""Find names, docstring openings and phrases that the project does not use.

``python -m tests.language [PATH ...]`` prints one line for each finding and exits with 1 if there is any.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTHON_ROOTS = ("layers", "local", "infra", "functions", "tests", "requirements", "app.py")
PROSE = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "web/README.md")
_THIS_CHECK = ROOT / "tests" / "language"

OPENINGS = re.compile(r"(Who|What|Whose|Where|Of|Whether)\b")
PHRASES = re.compile(
    r"\b(nobody|somebody|whoever|of ours|none is|none of ours"
    r"|(?:is|are|was|were|be|been|being) (?:told|said)|stands? for)\b",
    re.IGNORECASE,
)
MAXIMUM = re.compile(r"(^|_)most_", re.IGNORECASE)
OLD_NAMES = frozenset(
    """
    corner corners nursery birth attendant calls_in_line ledger seams tool_watch sweeping ticker going going_files
    GoingFiles SessionRemains UserRemains Standings standing thinning Thinner Peek own_tools shelf catalogue lean_mcp lean
    spoken patient Heard Telling NobodyListens Pulse beat PoseQuestion ModelTask TellFiles what_was_said shown_artifact
    DoubtTools that_has open_to asks_first require_open NormalizeOutcome news strays
    kept said told wanted asked
    """.split()
)


@dataclass(frozen=True, order=True)
class Finding:
    """One banned name or phrase: ``path`` relative to the checkout, ``line`` from 1."""

    path: str
    line: int
    problem: str

    def __str__(self) -> str:
        """Return the finding as ``path:line: problem``."""
        return f"{self.path}:{self.line}: {self.problem}"


def find(paths: Iterable[Path]) -> list[Finding]:
    """Return the findings of all Python and Markdown files under these paths, sorted by place."""
    files = (file for path in paths for file in _files(path))
    return sorted(finding for file in files for finding in check(file))


def default_paths() -> list[Path]:
    """Return the folders and files that the check covers when it is given none."""
    return [ROOT / name for name in (*PYTHON_ROOTS, *PROSE)]


def check(file: Path) -> list[Finding]:
    """Return the findings of one file."""
    name = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else str(file)
    text = file.read_text(encoding="utf-8")
    found = _in_python(text) if file.suffix == ".py" else _in_prose(text)
    return [Finding(name, line, problem) for line, problem in found]


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    for pattern in ("*.py", "*.md"):
        yield from (file for file in sorted(path.rglob(pattern)) if not file.is_relative_to(_THIS_CHECK))


def _in_prose(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        yield from ((number, f"phrase {match[0]!r}") for match in PHRASES.finditer(line))


def _in_python(text: str) -> Iterator[tuple[int, str]]:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _in_docstring(node)
        yield from ((line, problem) for line, name in _names(node) for problem in _in_name(name))
    yield from _in_comments(text)


def _in_docstring(
    node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef,
) -> Iterator[tuple[int, str]]:
    docstring = ast.get_docstring(node, clean=False)
    if docstring is None:
        return
    first = node.body[0].lineno
    if match := OPENINGS.match(docstring.strip()):
        yield first, f"docstring opens with {match[0]!r}"
    for number, line in enumerate(docstring.splitlines()):
        yield from ((first + number, f"phrase {match[0]!r}") for match in PHRASES.finditer(line))


def _in_comments(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield from ((token.start[0], f"phrase {match[0]!r}") for match in PHRASES.finditer(token.string))


def _names(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the names that a node defines: not those it only uses, which are reported where they are defined."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.lineno, node.name
    elif isinstance(node, ast.arg):
        yield node.lineno, node.arg
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.lineno, node.id
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield node.lineno, node.attr


def _in_name(name: str) -> Iterator[str]:
    bare = name.strip("_")
    if MAXIMUM.search(bare):
        yield f"name {name!r}: write max_"
    if bare in OLD_NAMES or bare.lower() in OLD_NAMES:
        yield f"name {name!r}"
