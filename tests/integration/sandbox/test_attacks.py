"""Attacks with some of the sandbox layers, checked from outside. tests/e2e runs them with all layers and with none."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from satchel.adapters.event_loop import EventLoop
from satchel.domain.isolation import Isolation
from tests.attacks.target import ENTRY, SECRET, AttackTarget, create_target
from tests.integration.sandbox.conftest import LAYERS, needs_kernel, sandboxed
from tests.integration.sandbox.sandboxed_server import SandboxedServer

FIND_OUT_WHAT_EXISTS = {
    "stat_file",
    "check_workspace_exists",
    "check_access",
    "enter_directory",
}


@contextmanager
def attacked(loop: EventLoop, base: Path, isolation: Isolation) -> Iterator[tuple[AttackTarget, SandboxedServer]]:
    with (
        create_target(base / "out", base / "bob") as target,
        sandboxed(loop, base / "alice", isolation, **ENTRY) as server,
    ):
        yield target, server


def run_attacks(target: AttackTarget, server: SandboxedServer, *modules: str) -> dict[str, tuple[str, str]]:
    names = server.call("names", modules=modules).results
    fields = target.fields | {"mine": str(server.workspace)}
    results: dict[str, tuple[str, str]] = server.call("attack", attacks=names, target=fields, username="alice").results
    return results


def succeeded(outcomes: dict[str, tuple[str, str]]) -> set[str]:
    return {name for name, (outcome, _) in outcomes.items() if outcome == "escaped"}


@needs_kernel
def test_attacks_without_mounts_only_find_out_what_exists(loop: EventLoop, tmp_path: Path) -> None:
    isolation = LAYERS.model_copy(update={"layers": LAYERS.layers - {"mounts"}})
    with attacked(loop, tmp_path, isolation) as (target, server):
        outcomes = run_attacks(target, server, "changing", "reading", "paths")

        assert succeeded(outcomes) == FIND_OUT_WHAT_EXISTS
        assert target.snapshot() == target.before
        assert SECRET not in str(outcomes)
