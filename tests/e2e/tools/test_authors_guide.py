"""The examples in the guide for authors (docs/authors.md)."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from local.cli.new_app import app_server_files
from local.cli.new_server import server_program
from tests.e2e.system_process import running_system
from tests.e2e.user_client import LOCAL_KEY, wait_for_tools

ROOT = Path(__file__).parents[3]
GUIDE = (ROOT / "docs/authors.md").read_text(encoding="utf-8")
TIMEOUT_SECONDS = 180.0


APPS = GUIDE.partition("\n### Apps\n")[2].partition("\n### ")[0]


def blocks(language: str, text: str = GUIDE) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def examples(text: str) -> list[tuple[str, str]]:
    """Return each command of a part of the guide with its output."""
    pairs: list[tuple[str, str]] = []
    for line in "".join(blocks("console", text)).splitlines():
        if line.startswith("$ "):
            pairs.append((line.removeprefix("$ "), ""))
        else:
            command, output = pairs.pop()
            pairs.append((command, f"{output}{line}\n"))
    return pairs


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder in which the paths of the guide exist."""
    (tmp_path / "functions/servers").mkdir(parents=True)
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    return tmp_path


def run(command: str, checkout: Path, url: str = "") -> str:
    config = str(checkout / "functions/servers/mcp.json")
    settings = {"SATCHEL_MCP_CONFIG": config, "SATCHEL_URL": url, "SATCHEL_LOCAL_KEY": LOCAL_KEY}
    environ = {"PATH": "/usr/bin:/bin", **settings}
    result = subprocess.run(  # noqa: S603  (commands of the guide)
        ["/bin/bash", "-c", command], cwd=checkout, env=environ, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_commands_print_the_output_in_the_guide(checkout: Path) -> None:
    (create, _), *others = examples(GUIDE.replace(APPS, ""))
    run(create, checkout)
    config = checkout / "functions/servers/mcp.json"
    assert json.loads(config.read_text()) == json.loads(f"{{{blocks('json')[0]}}}")
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(config)}) as system:
        wait_for_tools(system.url)
        outputs = [(command, run(command, checkout, system.url)) for command, _ in others]

    assert outputs == others
    assert (checkout / "reports/notes_report.md").read_text() == "# notes.txt\n\n2 lines, 3 words\n"


def test_program_in_the_guide_is_the_one_that_the_command_writes() -> None:
    assert blocks("python")[0] == server_program("wordcount")


def test_commands_for_an_app_print_the_output_in_the_guide(checkout: Path) -> None:
    (create, _), *others = examples(APPS)
    run(create, checkout)
    config = checkout / "functions/servers/mcp.json"
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(config)}) as system:
        wait_for_tools(system.url)
        assert [(command, run(command, checkout, system.url)) for command, _ in others] == others


def test_files_of_the_app_in_the_guide_are_those_that_the_command_writes() -> None:
    assert {"main.py": blocks("python", APPS)[0], "app.html": blocks("html", APPS)[0]} == app_server_files("words")
