import fcntl
import json
import subprocess
import sys
from pathlib import Path

import pytest

from infra.sources import ROOT
from tests.infra.templates import Stacks


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
    command = [sys.executable, "-m", "tests.infra.synthesis", str(folder), *deployments]
    completed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603  (fixed arguments)
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
def added_server(synthesized: Path) -> Stacks:
    """The default deployment with one more entry in mcp.json."""
    return read_stacks(synthesized / "added_server")
