"""Every regular expression of the package and of the included servers takes linear time on adversarial text."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.system_process import ROOT

PACKAGES = (
    "satchel",
    "local",
    "functions.servers.documents.document_reader",
    "functions.servers.report.csv_report",
    "functions.servers.report.explorer",
)
SOURCES = sorted(
    [
        *(ROOT / "layers/core/python/satchel").rglob("*.py"),
        *(path for path in (ROOT / "functions/servers").rglob("*.py") if "import re\n" in path.read_text("utf-8")),
    ]
)


@pytest.mark.timeout(300)
def test_all_patterns_take_linear_time_and_slow_ones_are_recognized() -> None:
    command = [sys.executable, "-m", "tests.regular_expressions", *PACKAGES]

    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603  (our own module)

    assert process.returncode == 0, process.stderr
    found = re.fullmatch(r"(\d+) patterns\n", process.stdout)
    assert found, process.stdout
    assert int(found[1]) > 50


@pytest.mark.parametrize("source", SOURCES, ids=[str(path.relative_to(ROOT)) for path in SOURCES])
def test_patterns_are_compiled_where_the_check_finds_them(source: Path) -> None:
    calls = [node.func for node in ast.walk(ast.parse(source.read_bytes())) if isinstance(node, ast.Call)]
    names = {func.attr for func in calls if isinstance(func, ast.Attribute) and getattr(func.value, "id", "") == "re"}
    assert names <= {"compile", "escape"}
