"""Periodic jobs, and the refresh of tool lists of servers that failed to start."""

import threading
from concurrent.futures import Future
from typing import Any

from local.emulator.scheduler import PeriodicJob, ToolListRefresher
from satchel.domain.conversation import ToolSpec
from satchel.domain.servers import Registry, ServerEntry
from satchel.domain.tools import StoredToolList, ToolListing, fresh_tool_list
from satchel.services.tools.tool_lists import RefreshTools
from tests.fakes.runners import FakeRunners, FakeToolLists
from tests.fakes.system import FakeClock


def test_job_runs_periodically_until_the_context_ends() -> None:
    runs, enough = [], threading.Event()

    def job() -> None:
        runs.append(1)
        if len(runs) == 3:
            enough.set()

    with PeriodicJob(job, 0.001):
        assert enough.wait(60)
    count = len(runs)
    assert count >= 3
    assert len(runs) == count


def test_job_does_not_run_before_the_first_interval_and_exit_does_not_wait() -> None:
    runs: list[int] = []
    with PeriodicJob(lambda: runs.append(1), 3600):
        pass
    assert runs == []


TOOL = ToolSpec(server="slow", name="t")
REGISTRY = Registry(servers={"slow": ServerEntry(command=["x"])})


class Runners(FakeRunners):
    """Sets ``was_called`` when tools are listed."""

    def __init__(self) -> None:
        super().__init__({"slow": [TOOL]})
        self.was_called = threading.Event()

    def list_tools(self, server: str) -> ToolListing:
        self.was_called.set()
        return super().list_tools(server)


def test_failed_server_is_listed_again_after_the_first_listings() -> None:
    clock, lists, runners = FakeClock(), FakeToolLists(), Runners()
    config_hash = REGISTRY.servers["slow"].config_hash()
    lists.save("slow", config_hash, StoredToolList(failure="not yet", asked_at=clock.now()))
    clock.advance(30)
    first: Future[Any] = Future()
    with ToolListRefresher(check_seconds=0.001) as refresher:
        refresher.start(RefreshTools(REGISTRY, lists, runners, clock), [first])
        assert not runners.was_called.wait(0.05)
        first.set_result([])
        assert runners.was_called.wait(60)

    assert lists.get("slow", config_hash) == fresh_tool_list(ToolListing(tools=[TOOL]), clock.now())
    assert runners.listed_servers == ["slow"]


def test_refresher_ends_if_a_listing_was_canceled_before_it_started() -> None:
    listing: Future[Any] = Future()
    refresher = ToolListRefresher(check_seconds=0.001)
    refresher.start(RefreshTools(REGISTRY, FakeToolLists(), Runners(), FakeClock()), [listing])
    listing.cancel()
    exiting = threading.Thread(target=refresher.__exit__, daemon=True)
    exiting.start()
    exiting.join(60)
    assert not exiting.is_alive()


def test_refresher_ends_at_once_if_it_was_never_started() -> None:
    with ToolListRefresher() as refresher:
        refresher.stop()
