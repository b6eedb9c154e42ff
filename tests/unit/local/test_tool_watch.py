"""Servers that did not start are asked again while the system runs."""

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from local.tool_watch import ToolWatch
from satchel.domain.conversation import ToolSpec
from satchel.domain.servers import Registry, ServerEntry
from satchel.domain.tool_lists import KeptTools, answered
from satchel.services.tools.refresh_tools import RefreshTools
from tests.fakes.clock import FakeClock
from tests.fakes.runners import FakeRunners
from tests.fakes.tool_lists import FakeToolLists

TOOL = ToolSpec(server="slow", name="t")
REGISTRY = Registry(servers={"slow": ServerEntry(command=["x"])})


class Runners(FakeRunners):
    """``asked_again`` tells that somebody asked."""

    def __init__(self) -> None:
        super().__init__({"slow": [TOOL]})
        self.asked_again = threading.Event()

    def list_tools(self, server: str) -> Sequence[ToolSpec]:
        self.asked_again.set()
        return super().list_tools(server)


def test_a_server_that_did_not_start_is_asked_again_after_the_first_listings() -> None:
    clock, lists, runners = FakeClock(), FakeToolLists(), Runners()
    config_hash = REGISTRY.servers["slow"].config_hash()
    lists.put("slow", config_hash, KeptTools(failure="not yet", asked_at=clock.now()))
    clock.travel(30)
    first: Future[Any] = Future()
    with ToolWatch(look_seconds=0.001) as watch:
        watch.start(RefreshTools(REGISTRY, lists, runners, clock), [first])
        assert not runners.asked_again.wait(0.05)
        first.set_result([])
        assert runners.asked_again.wait(10)

    assert lists.get("slow", config_hash) == answered([TOOL], clock.now())
    assert runners.asked == ["slow"]


def test_a_watch_ends_though_a_listing_was_cancelled_before_it_began() -> None:
    never: Future[Any] = Future()
    watch = ToolWatch(look_seconds=0.001)
    watch.start(RefreshTools(REGISTRY, FakeToolLists(), Runners(), FakeClock()), [never])
    never.cancel()
    leaving = threading.Thread(target=watch.__exit__, daemon=True)
    leaving.start()
    leaving.join(5)
    assert not leaving.is_alive()


def test_a_watch_that_was_never_started_ends_at_once() -> None:
    with ToolWatch() as watch:
        watch.stop()
