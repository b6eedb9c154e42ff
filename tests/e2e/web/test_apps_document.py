"""docs/apps.md names each method of the specification and each hostile app, with a test that exists."""

import re

import pytest

from tests.e2e.system_process import ROOT

SPECIFICATION = ROOT / "node_modules/@modelcontextprotocol/ext-apps/dist/src/spec.types.d.ts"
FOLDER = ROOT / "tests/e2e/web"
DOCUMENT = (ROOT / "docs/apps.md").read_text("utf-8")


def names_of_tests(file: str) -> set[str]:
    return set(re.findall(r"^def (test_\w+)", (FOLDER / file).read_text("utf-8"), re.MULTILINE))


@pytest.mark.skipif(not SPECIFICATION.exists(), reason="the packages of the page are not installed")
def test_each_method_of_the_specification_has_a_row() -> None:
    methods = set(re.findall(r'method: "(ui/[^"]+)"', SPECIFICATION.read_text("utf-8")))
    assert len(methods) >= 17
    assert set(re.findall(r"^\| `(ui/[^`]+)`", DOCUMENT, re.MULTILINE)) == methods


def test_each_named_test_exists() -> None:
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)", DOCUMENT)
    assert named
    assert [name for file, name in named if name not in names_of_tests(file)] == []


def test_each_hostile_app_has_a_row_with_its_test() -> None:
    rows = DOCUMENT.partition("## Hostile apps")[2].partition("\n## ")[0]
    tests = re.findall(r"`(test_\w+)(?:\[[a-z-]+\])?` \|$", rows, re.MULTILINE)
    assert len(tests) >= 30
    assert set(tests) <= names_of_tests("test_hostile_apps.py")
    apps = re.findall(r'^  "([a-z-]+)": \{', (FOLDER / "hostile/attacks.js").read_text("utf-8"), re.MULTILINE)
    assert [app for app in apps if app not in {"victim", "declared"} and not re.search(rf"[`\[]{app}[`\]]", rows)] == []
