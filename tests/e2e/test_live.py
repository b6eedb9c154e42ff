"""The tests of a deployment hold for the system on one machine, too: so they are known to work when they are needed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.system import ROOT, running_system

LIVE = Path(__file__).parents[1] / "live"


@pytest.mark.timeout(300)
def test_a_deployment_can_be_tried() -> None:
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(LIVE / "servers" / "mcp.json")}) as system:
        done = subprocess.run(  # noqa: S603  (our own interpreter and folder)
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(LIVE)],
            cwd=ROOT,
            env=os.environ | {"SATCHEL_LIVE_URL": system.url},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout
    assert "5 passed, 1 skipped" in done.stdout
