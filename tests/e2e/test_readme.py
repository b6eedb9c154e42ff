"""The console example of the README."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import LOCAL_KEY

ROOT = Path(__file__).parents[2]
SESSION = re.compile(r"\bs[0-9a-z]{26}\b")
# The size of the chart depends on the version of matplotlib, which depends on the version of Python.
CHART_SIZE = re.compile(r"(?<=image/png   )\d+KB")


def _example() -> tuple[list[str], str]:
    """Return the commands of the first console example and their output."""
    block = re.search(r"^(`{3,})console\n(.*?)^\1$", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    assert block
    lines = block[2].splitlines()
    commands = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    return commands, "\n".join(line for line in lines if not line.startswith("$ "))


def test_example_prints_the_output_in_the_readme(
    system: SystemProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SATCHEL_URL", system.url)
    monkeypatch.setenv("SATCHEL_LOCAL_KEY", LOCAL_KEY)
    commands, expected = _example()
    output = ""
    for command in commands:
        absolute = command.replace(".venv/bin/", f"{ROOT}/.venv/bin/")
        result = subprocess.run(["bash", "-c", absolute], cwd=tmp_path, capture_output=True, text=True, check=True)  # noqa: S603, S607
        output += result.stdout
    output = SESSION.sub("s…", output)
    assert CHART_SIZE.sub("…", output).strip() == CHART_SIZE.sub("…", expected).strip()
    assert {path.name for path in (tmp_path / "reports").iterdir()} == {"sales_report.html", "sales_chart.png"}
