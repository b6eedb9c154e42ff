"""What the README shows is what happens."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.e2e.system import System

ROOT = Path(__file__).parents[2]
SESSION = re.compile(r"\bs[0-9a-z]{26}\b")
# What a chart weighs depends on the version of matplotlib, and that on the version of Python.
CHART_SIZE = re.compile(r"(?<=image/png   )\d+KB")


def _example() -> tuple[list[str], str]:
    """Return the commands of the first console example and what they print."""
    block = re.search(r"```console\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert block
    lines = block[1].splitlines()
    commands = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    return commands, "\n".join(line for line in lines if not line.startswith("$ "))


def test_the_example_prints_what_the_readme_shows(
    system: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SATCHEL_URL", system.url)
    commands, shown = _example()
    printed = ""
    for command in commands:
        here = command.replace(".venv/bin/", f"{ROOT}/.venv/bin/")
        done = subprocess.run(["bash", "-c", here], cwd=tmp_path, capture_output=True, text=True, check=True)  # noqa: S603, S607
        printed += done.stdout
    printed = SESSION.sub("s…", printed)
    assert CHART_SIZE.sub("…", printed).strip() == CHART_SIZE.sub("…", shown).strip()
    assert {path.name for path in (tmp_path / "reports").iterdir()} == {"sales_report.html", "sales_chart.png"}
