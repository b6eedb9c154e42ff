"""What a function imports: what its own layers hold, and the MCP SDK in the runner alone."""

import subprocess
from pathlib import Path

import pytest

from tests.cold_start import FUNCTIONS, lay_out

MCP = {"mcp", "mcp_types", "fastmcp"}
RUNNER = "run_tool"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """They share the links to their packages."""
    return tmp_path_factory.mktemp("layers")


@pytest.mark.parametrize("function", [name for name in FUNCTIONS if name != RUNNER])
def test_no_function_but_the_runner_imports_mcp(function: str, folder: Path) -> None:
    modules = lay_out(function, folder).run("import handler").modules

    assert f"satchel.bootstrap.{function}" in modules
    assert {name.partition(".")[0] for name in modules} & MCP == set()


def test_the_runner_imports_the_client_half_of_the_sdk_and_no_framework_for_servers(folder: Path) -> None:
    modules = lay_out(RUNNER, folder).run("import handler").modules

    assert {"mcp.client.client", "mcp_types"} <= modules
    assert [name for name in modules if name.startswith(("mcp.server", "fastmcp", "uvicorn", "starlette"))] == []


def test_a_package_that_the_layer_lacks_would_be_missed(folder: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        lay_out("think", folder).run("import sys; sys.stderr.close(); import mcp")
