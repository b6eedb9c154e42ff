"""The bridge to the running system, as its command and as its function in a process like Lambda's, and chat clients."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from infra.packing.contents import BRIDGE_START
from infra.packing.layer_set import LayerSet
from infra.servers import Servers
from infra.sources import SERVERS
from tests.e2e.system_process import ROOT, SystemProcess, environment, free_port
from tests.e2e.typescript_package import install, pack
from tests.lambda_runtime import layers
from tests.lambda_runtime.environment import Code, Environment
from tests.lambda_runtime.function_url import FunctionUrl

PACKAGES = ROOT / ".venv/front-ends"
"""Published chat clients."""

ORIGIN = "https://front-end.example.com"
"""The origin of a front end in a browser that the bridge accepts."""

DeployBridge = Callable[[float, float], AbstractContextManager[FunctionUrl]]
"""Deploys the function with these limits in seconds: for the user's decisions, and for a response."""


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
def deploy_bridge(system: SystemProcess, tmp_path_factory: pytest.TempPathFactory) -> DeployBridge:
    """The deployed code with its layer. Its process finds nothing else that is installed."""
    layer_set = LayerSet(Servers(SERVERS), layers.this_machine())
    code, packages = layers.build(layer_set.bridge()), layers.build(layer_set.shared()["Vendor-bridge"])
    log = tmp_path_factory.mktemp("bridge") / "log"

    def deploy(wait_seconds: float, max_seconds: float) -> FunctionUrl:
        variables = {
            "AWS_LAMBDA_EXEC_WRAPPER": BRIDGE_START,
            "SATCHEL_URL": system.url,
            "SATCHEL_WEB_ORIGINS": ORIGIN,
            "SATCHEL_BRIDGE_LINK_SECONDS": "600",
            "SATCHEL_BRIDGE_WAIT_SECONDS": str(wait_seconds),
            "SATCHEL_BRIDGE_MAX_SECONDS": str(max_seconds),
        }
        bridge = Code("bridge", code, packages, variables)
        return FunctionUrl(lambda: Environment(bridge, log), seconds=max_seconds + 100)

    return deploy


@pytest.fixture(scope="session")
def bridge_function(deploy_bridge: DeployBridge) -> Iterator[FunctionUrl]:
    """The function with the limits of a deployment."""
    with deploy_bridge(300, 870) as function:
        yield function


@pytest.fixture(scope="session")
def client_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the published chat clients and, beside them, the packed TypeScript client."""
    folder = tmp_path_factory.mktemp("front-ends")
    packages = folder / "packages"
    shutil.copytree(PACKAGES, packages)
    install(pack(folder), packages)
    return packages
