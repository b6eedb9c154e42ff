import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.sources import ROOT
from tests.infra.templates import Stacks


@pytest.fixture(scope="session")
def assembly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One synthesis a test run, by the command that people use, for all its workers; layers are not built for it.

    In a process of its own, so that the tests' own never pays for aws_cdk and its Node.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "cdk.out"
    with (shared / "cdk.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            synthesise(made := shared / f"cdk.{os.getpid()}")
            made.rename(folder)
    return folder


@pytest.fixture(scope="session")
def stacks(assembly: Path) -> Stacks:
    return read(assembly)


def synthesise(folder: Path, **context: object) -> Stacks:
    given = {"aws:cdk:bundling-stacks": []} | context
    environment = os.environ | {"CDK_OUTDIR": str(folder), "CDK_CONTEXT_JSON": json.dumps(given)}
    done = subprocess.run(
        [sys.executable, "app.py"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return read(folder)


def read(folder: Path) -> Stacks:
    data, service = sorted(folder.glob("*.template.json"))
    return Stacks(json.loads(data.read_text()), json.loads(service.read_text()))
