"""A program with each generated client takes every step of the API at the running system, with a personal token.

Sign in, session, upload in both ways, turn, follow, approve, download, share, page through 200 files, import, delete.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.e2e.conftest import NewUser
from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import fetch
from tests.integration.http.test_client_generators import NODE, PROGRAMS, PYTHON, STRICT, TYPED_FILES, run

# Node, unlike bundlers, needs the extensions of imported modules.
HEY_CONFIG = 'export default { input: "openapi.json", output: { path: "hey", module: { extension: ".js" } } };'
EMIT = [option for option in STRICT if option != "--noEmit"]


@pytest.fixture
def folder(system: SystemProcess, tmp_path: Path) -> Path:
    (tmp_path / "openapi.json").write_text(fetch(f"{system.url}/api/openapi.json").text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def node_folder(folder: Path) -> Path:
    if not NODE.exists():
        pytest.skip("npm is not installed")
    (folder / "node_modules").symlink_to(NODE)
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    return folder


@pytest.fixture
def identity(system: SystemProcess, new_user: NewUser) -> str:
    """The argument of the programs: the address for personal tokens, and a token."""
    token = new_user().request("POST", "/api/me/tokens", json={"name": "generated client"}).json()["token"]
    return json.dumps({"url": f"{system.url}/api/by-token", "token": token})


def check(output: str) -> None:
    """Check what a program printed."""
    seen: dict[str, Any] = json.loads(output)
    assert httpx2.get(seen.pop("link"), timeout=60).status_code == httpx2.codes.NOT_FOUND  # its file was deleted
    assert "42" in seen.pop("calculated")
    assert {"tool_approval_request", "tool_approval", "response_complete"} <= set(seen.pop("approved"))
    assert seen == {
        "texts": ["from a form", "from JSON"],
        "files": 200,
        "deleted": 204,
        "conversation": ["42", "204", "404"],
    }


def test_program_with_openapi_fetch_takes_every_step(node_folder: Path, identity: str) -> None:
    (node_folder / "generate.mjs").write_text(TYPED_FILES, encoding="utf-8")
    run(node_folder, "node", "generate.mjs")
    shutil.copy(PROGRAMS / "fetch.ts", node_folder)
    run(node_folder, NODE / ".bin" / "tsc", *EMIT, "fetch.ts")
    check(run(node_folder, "node", "fetch.js", identity))


def test_program_with_hey_api_takes_every_step(node_folder: Path, identity: str) -> None:
    (node_folder / "openapi-ts.config.mjs").write_text(HEY_CONFIG, encoding="utf-8")
    run(node_folder, NODE / ".bin" / "openapi-ts", "--silent")
    shutil.copy(PROGRAMS / "hey.ts", node_folder)
    run(node_folder, NODE / ".bin" / "tsc", *EMIT, "--skipLibCheck", "hey.ts")
    check(run(node_folder, "node", "hey.js", identity))


def test_program_with_openapi_python_client_takes_every_step(folder: Path, identity: str) -> None:
    if not PYTHON.exists():
        pytest.skip("the generator is not installed")
    command = ("generate", "--path", "openapi.json", "--output-path", "generated", "--meta", "none")
    run(folder, PYTHON / "openapi-python-client", *command, "--fail-on-warning")
    shutil.copy(PROGRAMS / "steps.py", folder)
    check(run(folder, PYTHON / "python", "steps.py", identity))
