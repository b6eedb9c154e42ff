"""Run the tests of a deployment (tests/live) against a local system, so that they work when they are needed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.system_process import ROOT, running_system
from tests.e2e.user_client import LOCAL_KEY, wait_for_tools

LIVE = Path(__file__).parents[1] / "live"


@pytest.mark.timeout(300)
def test_live_tests_pass_against_a_local_system() -> None:
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(LIVE / "live_servers/mcp.json")}) as system:
        wait_for_tools(system.url)
        result = subprocess.run(  # noqa: S603  (our own interpreter and folder)
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(LIVE)],
            cwd=ROOT,
            env=os.environ | {"SATCHEL_LIVE_URL": system.url, "SATCHEL_LOCAL_KEY": LOCAL_KEY},
            capture_output=True,
            text=True,
            check=False,
        )
    assert result.returncode == 0, result.stdout
    assert "5 passed, 1 skipped" in result.stdout
