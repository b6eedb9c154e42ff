import fcntl
import json
import subprocess
import sys
from pathlib import Path

import pytest

from infra.sources import ROOT
from tests.infra.templates import Stacks


@pytest.fixture(scope="session")
def synthesised(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder for each deployment (tests.infra.synthesis), made once for all workers of a run."""
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "synthesised"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            synthesise(folder)
            (folder / "done").touch()
    return folder


def synthesise(folder: Path, *deployments: str) -> None:
    """Make these deployments, or all, each in a folder of its name."""
    command = [sys.executable, "-m", "tests.infra.synthesis", str(folder), *deployments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603  (our own script)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def assembly(synthesised: Path) -> Path:
    """The templates of the deployment that people get who choose nothing."""
    return synthesised / "default"


def read(folder: Path) -> Stacks:
    data, service = sorted(folder.glob("*.template.json"))
    return Stacks(json.loads(data.read_text()), json.loads(service.read_text()))


@pytest.fixture(scope="session")
def stacks(assembly: Path) -> Stacks:
    """The deployment that people get who choose nothing."""
    return read(assembly)


@pytest.fixture(scope="session")
def own_servers(synthesised: Path) -> Stacks:
    return read(synthesised / "own_servers")


@pytest.fixture(scope="session")
def choices(synthesised: Path) -> Stacks:
    return read(synthesised / "choices")


@pytest.fixture(scope="session")
def one_more(synthesised: Path) -> Stacks:
    """The same with one more entry in mcp.json."""
    return read(synthesised / "one_more")
