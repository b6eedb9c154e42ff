"""Runs all attacks through a running system at either isolation level, and reports their outcomes."""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from satchel.domain.isolation import Level
from tests.attacks.target import DOCUMENTS_ENTRY, ENTRY, KEEPING_ENTRY, MCP_SERVERS, AttackTarget, create_target
from tests.e2e.system_process import ROOT, SystemProcess, free_port, running_system, serve_command
from tests.e2e.user_client import Json, UserClient, wait_for_tools

FILE_ACCESS = {
    "command": ["python", "main.py"],
    "cwd": str(ROOT / "tests/integration/sandbox/sandboxed_tools/file_access"),
    "read_paths": [str(MCP_SERVERS)],
}
_WITHOUT_LAYERS = [sys.executable, str(ROOT / "tests/without_kernel_layers.py")]
_BATCH_SIZE = 40
"""Long results would be truncated in the model's view, so each call runs only some of the attacks."""
_DOCUMENT_BATCH_SIZE = 8
"""The server ends a parser after 25 seconds without progress, which 20 attacks can take on a busy machine."""


@dataclass(frozen=True)
class AttackReport:
    """Outcomes that the attacks report, and the target for checks from outside."""

    outcomes: dict[str, Any]
    target: AttackTarget

    @property
    def succeeded(self) -> set[str]:
        """Return the names of the attacks that report success."""
        return {name for name, (outcome, _) in self.outcomes.items() if outcome == "escaped"}

    @property
    def left_target_untouched(self) -> bool:
        """Return True if nothing changed in the target, and no listener was contacted."""
        return self.target.snapshot() == self.target.before and self.target.contacted_listeners() == []


@contextmanager
def sandboxed_system(level: Level, config: Path, **secrets: str) -> Iterator[SystemProcess]:
    """Run a system with all sandbox layers of this kernel, or with none, and wait until its tools are listed."""
    other = FILE_ACCESS | {"env": {"TOKEN": "${OTHERS_TOKEN}"}}
    entries = {"attacker": ENTRY, "keeper": KEEPING_ENTRY, "documents": DOCUMENTS_ENTRY}
    config.write_text(json.dumps({**entries, "file_access": FILE_ACCESS, "other": other}))
    command = serve_command(free_port())
    settings = {"SATCHEL_MCP_CONFIG": str(config), "OTHERS_TOKEN": "", **secrets}
    with running_system(command if level == "kernel" else [*_WITHOUT_LAYERS, *command], settings=settings) as system:
        wait_for_tools(system.url)
        yield system


@contextmanager
def kept_target(data: Path, user: UserClient) -> Iterator[AttackTarget]:
    """Create a target in the folders that servers keep below ``data``.

    One is the folder of another server for this user, and one is Bob's folder of the attacking server ``keeper``.
    """
    folders = data / "state" / "notes", data / "state" / "keeper"
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    name = f"bob-{time.time_ns()}@example.com"
    with create_target(folders[0] / f"{time.time_ns()}-{user.name}", folders[1] / name) as target:
        yield target


@contextmanager
def attack_target() -> Iterator[AttackTarget]:
    """Create a target with Bob's directory in the place of a workspace."""
    top = Path(tempfile.mkdtemp(prefix="satchel-target-"))
    bob = Path("/tmp") / f"{top.name}@example.com"
    try:
        with create_target(top / "out", bob) as target:
            yield target
    finally:
        shutil.rmtree(top)
        shutil.rmtree(bob)


def call(user: UserClient, tool: str, session: str | None = None, **arguments: object) -> Json:
    """Let the model call a tool, and return the call."""
    (tool_call,) = user.ask(session or user.create_session(), f"/{tool} {json.dumps(arguments)}")["tool_calls"]
    result: Json = tool_call
    return result


def run_attacks_of_a_document(user: UserClient, target: AttackTarget) -> AttackReport:
    """Run all attacks from documents of this user, as the parser that reads them."""
    names: Sequence[str] = call(user, "attacker.names", modules=[])["results"]
    fields = target.fields | {"mine": f"/tmp/{user.name}"}
    session = user.create_session()
    outcomes: dict[str, Any] = {}
    for start in range(0, len(names), _DOCUMENT_BATCH_SIZE):
        document = {"attacks": names[start : start + _DOCUMENT_BATCH_SIZE], "target": fields}
        user.upload(session, f"hostile-{start}.txt", json.dumps(document).encode())
        result = call(user, "documents.read", session, filename=f"hostile-{start}.txt")
        assert not result["is_error"], result
        outcomes |= json.loads(result["results"].splitlines()[2])
    return AttackReport(outcomes, target)


def run_attacks(user: UserClient, target: AttackTarget, tool: str = "attacker.attack") -> AttackReport:
    """Run all attacks as a tool of this user."""
    names: Sequence[str] = call(user, "attacker.names", modules=[])["results"]
    fields = target.fields | {"mine": f"/tmp/{user.name}"}
    outcomes: dict[str, Any] = {}
    for start in range(0, len(names), _BATCH_SIZE):
        result = call(user, tool, attacks=names[start : start + _BATCH_SIZE], target=fields)
        assert not result["is_error"], result
        outcomes |= result["results"]
    return AttackReport(outcomes, target)


def run_attacks_of_an_app(user: UserClient, target: AttackTarget, server: str) -> AttackReport:
    """Run all attacks as a tool that an app of the server calls."""
    names: Sequence[str] = call(user, "attacker.names", modules=[])["results"]
    fields = target.fields | {"mine": f"/tmp/{user.name}"}
    shown = user.ask(user.create_session(), f"/{server}.show {{}}")
    [app] = [file for file in shown["artifacts"] if file["name"] == "show.app.html"]
    outcomes: dict[str, Any] = {}
    for start in range(0, len(names), _BATCH_SIZE):
        body = {"tool": "attack", "arguments": {"attacks": names[start : start + _BATCH_SIZE], "target": fields}}
        answer = user.request("POST", f"/api/apps/{app['file_key']}/calls", json=body).json()
        result = _result_of_app(user, answer)
        assert not result.get("isError"), result
        outcomes |= result["structuredContent"]["results"]
    return AttackReport(outcomes, target)


def _result_of_app(user: UserClient, answer: Json) -> Json:
    """Wait for the end of an app's call, and return what the server sent."""
    path = f"/api/sessions/{answer['session_id']}/app-calls/{answer['turn_id']}"
    while answer["result"] is None:
        time.sleep(0.1)
        answer = user.request("GET", path).json()
    result: Json = answer["result"]
    return result
