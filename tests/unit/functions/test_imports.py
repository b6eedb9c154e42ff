"""The imports of each function: only packages of its layers, and the MCP SDK only in the runner."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.cold_start import CORE, FUNCTIONS, ROOT, link_packages

MCP = {"mcp", "mcp_types", "fastmcp"}
RUNNER = "run_tool"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all functions, which share the links to their packages."""
    return tmp_path_factory.mktemp("layers")


@pytest.mark.parametrize("function", [name for name in FUNCTIONS if name != RUNNER])
def test_layer_of_a_function_holds_what_it_imports_and_only_the_runner_imports_mcp(function: str, folder: Path) -> None:
    source = (ROOT / "functions" / function / "handler.py").read_text(encoding="utf-8")
    names = set(re.findall(r"use_cases\(\)\.(\w+)", source)) - {"ports"}
    if function == "api":
        routers = (CORE / "satchel/entrypoints/http/routers").glob("*.py")
        names |= {
            name for path in routers for name in re.findall(r"use_cases\.(\w+)", path.read_text(encoding="utf-8"))
        }
    if function == "sockets":
        names |= {"open_connection", "forget_connection", "subscribe", "unsubscribe"}
    built = "".join(f"; use_cases().{name}" for name in sorted(names))
    statement = f"import handler; from satchel.bootstrap.functions import use_cases{built}"

    modules = link_packages(function, folder).run(statement).modules

    assert {name.partition(".")[0] for name in modules} & MCP == set()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_handler_imports_bootstrap_before_the_rest_of_satchel(function: str) -> None:
    source = (ROOT / "functions" / function / "handler.py").read_text(encoding="utf-8")
    first = next(re.finditer(r"^(?:from|import) satchel\.(\w+)", source, re.MULTILINE))

    assert first[1] == "bootstrap"


def test_runner_imports_the_mcp_client_but_no_server_framework(folder: Path) -> None:
    modules = link_packages(RUNNER, folder).run("import handler").modules

    assert {"mcp.client.client", "mcp_types"} <= modules
    assert [name for name in modules if name.startswith(("mcp.server", "fastmcp", "uvicorn", "starlette"))] == []


def test_import_of_a_package_outside_the_layer_fails(folder: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        link_packages("think", folder).run("import sys; sys.stderr.close(); import mcp")
