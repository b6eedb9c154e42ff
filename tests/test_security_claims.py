"""The table in docs/security.md names tests that exist."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SECTION = (TESTS.parent / "docs/security.md").read_text(encoding="utf-8").partition("## Which tests show it\n")[2]
ROWS = [line for line in SECTION.partition("\n## ")[0].splitlines() if line.startswith("| ")][1:]
MIN_ROWS = 20


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2:40])
def test_each_claim_names_a_file_and_tests_in_it(row: str) -> None:
    names = re.findall(r"`([\w/]+\.py|test_\w+|\w+/)`", row)
    functions: set[str] = set()
    found = 0
    for name in names:
        if name.endswith(".py"):
            tree = ast.parse((TESTS / name).read_text(encoding="utf-8"))
            functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        elif name.startswith("test_"):
            assert name in functions
            found += 1
    assert found


def test_table_has_its_rows() -> None:
    assert len(ROWS) >= MIN_ROWS
