"""Find names, docstring openings, phrases and spellings that the project does not use.

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
PYTHON_ROOTS = ("clients", "layers", "local", "infra", "functions", "tests", "requirements", "app.py")
TEXT_ROOTS = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "Makefile",
    "pyproject.toml",
    "docs",
    "web/src",
    "web/README.md",
    "clients",
)
PATTERNS = ("*.py", "*.md", "*.toml", "*.ts", "*.tsx", "*.mjs", "*.css")
MAX_TEST_NAME = 80
_THIS_CHECK = ROOT / "tests" / "language"

OPENINGS = re.compile(r"(Who|What|Whose|Where|Which|Of|Whether|That|How|Why)\b")
PHRASES = re.compile(
    r"\b(nobody|somebody|everybody|anybody|whoever|of ours|none is|none of ours"
    r"|(?:is|are|was|were|be|been|being) (?:told|said|asked)|stands? for)\b",
    re.IGNORECASE,
)
CITATIONS = re.compile(r"\b(spec \d[\d.]*|DESIGN:)")
BRITISH = re.compile(
    r"(?<![\w:.])("
    r"(?:behaviour|catalogue|centre|colour|defence|favour|honour|licence|neighbour)s?"
    r"|(?:emphasi|initiali|normali|optimi|organi|recogni|seriali|synthesi)s(?:e|es|ed|er|ing|ation)"
    r"|analys(?:e|es|ed|ing))\b",
    re.IGNORECASE,
)
MAXIMUM = re.compile(r"(^|_)most_", re.IGNORECASE)
OLD_NAMES = re.compile(
    r"corners?|nursery|birth|attendant|calls_in_line|ledger|seams|tool_watch|sweeping|ticker|going(_?files)?"
    r"|SessionRemains|UserRemains|standings?|thinn(ing|er)|peek|own_tools|shelf|catalogue|lean(_mcp)?|spoken|patient"
    r"|heard|telling|NobodyListens|pulse|beat|PoseQuestion|ModelTask|TellFiles|what_was_said|shown_artifact|DoubtTools"
    r"|that_has|open_to|asks_first|require_open|NormalizeOutcome|news|strays|kept|said|told|wanted|asked",
    re.IGNORECASE,
)

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, order=True)
class Finding:
    """One banned name or phrase. ``path`` is relative to the checkout, ``line`` starts at 1."""

    path: str
    line: int
    problem: str

    def __str__(self) -> str:
        """Return the finding as ``path:line: problem``."""
        return f"{self.path}:{self.line}: {self.problem}"


def find(paths: Iterable[Path]) -> list[Finding]:
    """Return the findings of all files under these paths, sorted by position."""
    files = (file for path in paths for file in _files(path))
    return sorted(finding for file in files for finding in check(file))


def default_paths() -> list[Path]:
    """Return the folders and files that are checked by default."""
    return [ROOT / name for name in (*PYTHON_ROOTS, *TEXT_ROOTS)]


def check(file: Path) -> list[Finding]:
    """Return the findings of one file. Python files are parsed, all others are checked line by line."""
    name = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else str(file)
    text = file.read_text(encoding="utf-8")
    problems = _in_python(text) if file.suffix == ".py" else _in_text(text)
    return [Finding(name, line, problem) for line, problem in problems]


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    for pattern in PATTERNS:
        yield from (file for file in sorted(path.rglob(pattern)) if not _is_excluded(file))


def _is_excluded(file: Path) -> bool:
    return file.is_relative_to(_THIS_CHECK) or file.name.endswith(".d.ts")  # generated from checked Python


def _in_text(text: str, first_line: int = 1) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), first_line):
        yield from ((number, f"phrase {match[0]!r}") for match in PHRASES.finditer(line))
        yield from ((number, f"citation {match[0]!r}") for match in CITATIONS.finditer(line))
        yield from ((number, f"British spelling {match[0]!r}") for match in BRITISH.finditer(line))


def _in_python(text: str) -> Iterator[tuple[int, str]]:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, Documented):
            yield from _in_docstring(node)
        yield from ((line, problem) for line, name in _names(node) for problem in _in_name(name))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield from _in_text(token.string, token.start[0])


def _in_docstring(node: Documented) -> Iterator[tuple[int, str]]:
    docstring = ast.get_docstring(node, clean=False)
    if docstring is None:
        return
    first_line = node.body[0].lineno
    if match := OPENINGS.match(docstring.strip()):
        yield first_line, f"docstring opens with {match[0]!r}"
    yield from _in_text(docstring, first_line)


def _names(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the names that a node defines. Uses of a name are not reported."""
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
    is_test = name.startswith("test_")
    if MAXIMUM.search(bare) and not is_test:
        yield f"name {name!r}: write max_"
    if OLD_NAMES.fullmatch(bare):
        yield f"name {name!r}"
    if is_test and len(name) > MAX_TEST_NAME:
        yield f"test name of {len(name)} characters (at most {MAX_TEST_NAME}): {name}"
