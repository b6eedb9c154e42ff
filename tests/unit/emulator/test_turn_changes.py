import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest

from local.emulator import turn_changes
from local.emulator.turn_changes import TurnChanges
from satchel.domain.ids import TurnId
from satchel.entrypoints.http.long_polling import Pause

TURN = TurnId("t1")
Wake = Callable[[TurnChanges], None]


async def in_watch(changes: TurnChanges, work: Callable[[Pause], Awaitable[None]]) -> None:
    async with changes.watch(TURN) as pause:
        await asyncio.wait_for(work(pause), 60)


@pytest.fixture(autouse=True)
def _no_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_changes, "_MAX_WAIT_SECONDS", 1000)


@pytest.mark.parametrize(
    "wake",
    [lambda changes: changes.notify("TURN#t1"), lambda changes: changes.close()],
    ids=["the turn changes", "the server stops"],
)
def test_pause_ends_when_another_thread_reports_that(wake: Wake) -> None:
    changes = TurnChanges()

    async def work(pause: Pause) -> None:
        threading.Timer(0.05, wake, [changes]).start()
        await pause(0.01)

    asyncio.run(in_watch(changes, work))


def test_change_before_the_pause_ends_the_next_pause_only() -> None:
    changes = TurnChanges()

    async def work(pause: Pause) -> None:
        changes.notify("TURN#t1")
        await pause(0.01)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(pause(0.01), 0.1)

    asyncio.run(in_watch(changes, work))


def test_change_of_another_turn_does_not_end_the_pause() -> None:
    changes = TurnChanges()

    async def work(pause: Pause) -> None:
        changes.notify("TURN#t2")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(pause(0.01), 0.1)

    asyncio.run(in_watch(changes, work))


def test_pause_ends_after_some_seconds_without_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_changes, "_MAX_WAIT_SECONDS", 0.01)

    async def work(pause: Pause) -> None:
        await pause(1000)

    asyncio.run(in_watch(TurnChanges(), work))


def test_ended_watch_leaves_nothing_behind() -> None:
    changes = TurnChanges()

    async def work(_pause: Pause) -> None:
        return None

    asyncio.run(in_watch(changes, work))
    changes.notify("TURN#t1")
    assert vars(changes) == {"_closed": False, "_waiting": {}}
