"""Attacks behind fewer walls than there may be, judged from outside (all, and none of the kernel: tests/e2e)."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from satchel.adapters.event_loop import EventLoop
from satchel.domain.isolation import Isolation
from tests.attacks.arena import ENTRY, SECRET, Arena, arena
from tests.integration.sandbox.conftest import LAYERS, needs_kernel, walled
from tests.integration.sandbox.walled import Walled

LEARN_WHAT_IS_THERE = {
    "ask_whether_it_is_there",
    "ask_whether_the_person_is_there",
    "ask_for_access",
    "enter_the_directory",
}


@contextmanager
def attacked(loop: EventLoop, base: Path, isolation: Isolation) -> Iterator[tuple[Arena, Walled]]:
    with arena(base / "out", base / "bob") as place, walled(loop, base / "alice", isolation, **ENTRY) as server:
        yield place, server


def outcomes(place: Arena, server: Walled, *modules: str) -> dict[str, tuple[str, str]]:
    names = server.call("names", modules=modules).results
    ground = place.ground | {"mine": str(server.workspace)}
    found: dict[str, tuple[str, str]] = server.call("attack", which=names, ground=ground, username="alice").results
    return found


def got_through(found: dict[str, tuple[str, str]]) -> set[str]:
    return {name for name, (outcome, _) in found.items() if outcome == "escaped"}


@needs_kernel
def test_without_mounts_they_learn_what_is_there_and_change_nothing(loop: EventLoop, tmp_path: Path) -> None:
    isolation = LAYERS.model_copy(update={"layers": LAYERS.layers - {"mounts"}})
    with attacked(loop, tmp_path, isolation) as (place, server):
        found = outcomes(place, server, "changing", "reading", "paths")

        assert got_through(found) == LEARN_WHAT_IS_THERE
        assert place.look() == place.before
        assert SECRET not in str(found)
