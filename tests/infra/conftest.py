import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.sources import ROOT
from tests.infra.templates import Stacks


@pytest.fixture(scope="session")
def stacks(tmp_path_factory: pytest.TempPathFactory) -> Stacks:
    """One synthesis a session, by the command that people use; layers are not built for it.

    In a process of its own, so that the tests' own never pays for aws_cdk and its Node.
    """
    return synthesise(tmp_path_factory.mktemp("cdk.out"))


def synthesise(folder: Path, **context: object) -> Stacks:
    given = {"aws:cdk:bundling-stacks": []} | context
    environment = os.environ | {"CDK_OUTDIR": str(folder), "CDK_CONTEXT_JSON": json.dumps(given)}
    done = subprocess.run(
        [sys.executable, "app.py"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    data, service = sorted(folder.glob("*.template.json"))
    return Stacks(json.loads(data.read_text()), json.loads(service.read_text()))
