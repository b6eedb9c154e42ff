import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.sources import ROOT
from tests.infra.templates import Stacks

_SYNTHESIS_SECONDS = 900
"""The first test that needs the templates waits for their synthesis, which takes minutes on a loaded machine."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the tests that need the synthesized templates more time."""
    for item in items:
        if "synthesized" in getattr(item, "fixturenames", ()) and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(_SYNTHESIS_SECONDS))


@pytest.fixture(scope="session")
def synthesized(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The folder with a subfolder for each deployment of tests.infra.synthesis, written once for all workers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "synthesized"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            synthesize(folder)
            (folder / "done").touch()
    return folder


def synthesize(folder: Path, *deployments: str) -> None:
    """Synthesize these deployments (by default all), each into a subfolder with its name."""
    run_cdk_program("tests.infra.synthesis", str(folder), *deployments)


def run_cdk_program(module: str, *arguments: str) -> None:
    """Run a module of the tests that synthesizes templates, without the checks of CDK that take most of its time.

    With ``-O``, aws_cdk does not check the type of each argument; mypy does that. CDK's validation of templates only
    prints warnings, and its start takes longer than the synthesis. The tests check the templates against AWS's schemas.
    """
    command = [sys.executable, "-O", "-m", module, *arguments]
    environ = {**os.environ, "CDK_VALIDATION": "false"}
    completed = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)  # noqa: S603  (fixed arguments)
    assert completed.returncode == 0, completed.stderr


@pytest.fixture(scope="session")
def assembly(synthesized: Path) -> Path:
    """The folder with the templates of the default deployment."""
    return synthesized / "default"


def read_stacks(folder: Path) -> Stacks:
    data, service = sorted(folder.glob("*.template.json"))
    return Stacks(json.loads(data.read_text()), json.loads(service.read_text()))


@pytest.fixture(scope="session")
def stacks(assembly: Path) -> Stacks:
    """The default deployment."""
    return read_stacks(assembly)


@pytest.fixture(scope="session")
def custom_servers(synthesized: Path) -> Stacks:
    """A deployment with other stdio servers and with remote ones."""
    return read_stacks(synthesized / "custom_servers")


@pytest.fixture(scope="session")
def custom_settings(synthesized: Path) -> Stacks:
    """A deployment that sets most settings."""
    return read_stacks(synthesized / "custom_settings")


@pytest.fixture(scope="session")
def without_site(synthesized: Path) -> Stacks:
    """A deployment without CloudFront that uses existing stores and users."""
    return read_stacks(synthesized / "without_site")


@pytest.fixture(scope="session")
def with_bridge(synthesized: Path) -> Stacks:
    """A deployment with the bridge for other chat front ends."""
    return read_stacks(synthesized / "bridge")


@pytest.fixture(scope="session")
def added_server(synthesized: Path) -> Stacks:
    """The default deployment with one more entry in mcp.json."""
    return read_stacks(synthesized / "added_server")


@pytest.fixture(scope="session")
def foreign_servers(synthesized: Path) -> Stacks:
    """A deployment of published servers for Node and Python."""
    return read_stacks(synthesized / "foreign_servers")
