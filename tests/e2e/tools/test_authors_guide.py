"""What the guide for authors shows is what happens."""

import json
import re
import subprocess
import time
from pathlib import Path

import pytest

from local.cli.new_server import server_program
from tests.e2e.person import fetch
from tests.e2e.system import running_system

ROOT = Path(__file__).parents[3]
GUIDE = (ROOT / "docs/authors.md").read_text(encoding="utf-8")
PATIENCE = 60.0


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


def examples() -> list[tuple[str, str]]:
    """Return each command with what it is shown to print."""
    found: list[tuple[str, str]] = []
    for line in "".join(blocks("console")).splitlines():
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), ""))
        else:
            command, printed = found.pop()
            found.append((command, f"{printed}{line}\n"))
    return found


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder in which the guide's paths are right."""
    (tmp_path / "functions/servers").mkdir(parents=True)
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    return tmp_path


def run(command: str, checkout: Path, url: str = "") -> str:
    config = str(checkout / "functions/servers/mcp.json")
    environ = {"PATH": "/usr/bin:/bin", "SATCHEL_MCP_CONFIG": config, "SATCHEL_URL": url}
    done = subprocess.run(  # noqa: S603  (commands of our own guide)
        ["/bin/bash", "-c", command], cwd=checkout, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def wait_until_listed(url: str) -> None:
    gives_up = time.monotonic() + PATIENCE
    while '"starting"' in fetch(f"{url}/api/tools").text and time.monotonic() < gives_up:
        time.sleep(0.1)


def test_the_guides_commands_print_what_it_shows(checkout: Path) -> None:
    (make, _), *others = examples()
    run(make, checkout)
    config = checkout / "functions/servers/mcp.json"
    assert json.loads(config.read_text()) == json.loads(f"{{{blocks('json')[0]}}}")
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(config)}) as system:
        wait_until_listed(system.url)
        printed = [(command, run(command, checkout, system.url)) for command, _ in others]

    assert printed == others
    assert (checkout / "reports/notes_report.md").read_text() == "# notes.txt\n\n2 lines, 3 words\n"


def test_the_program_in_the_guide_is_the_one_that_is_written() -> None:
    assert blocks("python") == [server_program("wordcount")]
