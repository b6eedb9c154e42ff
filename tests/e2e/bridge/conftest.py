"""The bridge to the running system, as its command, and the packages of chat clients."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.system_process import ROOT, SystemProcess, environment, free_port
from tests.e2e.typescript_package import install, pack

PACKAGES = ROOT / ".venv/front-ends"
"""Published chat clients."""

ORIGIN = "https://front-end.example.com"
"""The origin of a front end in a browser that the bridge accepts."""


@pytest.fixture(scope="session")
def bridge(system: SystemProcess) -> Iterator[str]:
    """The URL of the bridge."""
    port = free_port()
    options = ["--url", system.url, "--port", str(port), "--link-seconds", "600", "--origin", ORIGIN]
    command = [sys.executable, "-m", "local.cli.main", "bridge", *options]
    with subprocess.Popen(command, cwd=ROOT, env=environment({}), stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None
        assert (
            process.stdout.readline()
            == f"bridge to {system.url} on http://127.0.0.1:{port} (/v1, /ag-ui, /ai-sdk/chat)\n"
        )
        yield f"http://127.0.0.1:{port}"
        process.terminate()
        assert process.wait() == 0


@pytest.fixture(scope="session")
def client_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the published chat clients and, beside them, the packed TypeScript client."""
    folder = tmp_path_factory.mktemp("front-ends")
    packages = folder / "packages"
    shutil.copytree(PACKAGES, packages)
    install(pack(folder), packages)
    return packages
