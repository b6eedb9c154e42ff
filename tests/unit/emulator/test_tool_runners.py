"""The listener that acts for a tool call without a runner: it sends heartbeats, tells the user, and ends the call."""

import json

from local.emulator.runners.wait_queue import NullListener
from local.emulator.tool_runners import CallListener, listener_for
from satchel.domain.calls import RunnerReport
from satchel.domain.steps import TOOL_ENDED
from tests.fakes.calls import FakeReports
from tests.fakes.system import FakeClock
from tests.fakes.turns import FakeEvents, FakeTaskCallback
from tests.unit.services.orders import TURN_ID, order


def listener(
    callback: FakeTaskCallback, reports: FakeReports | None = None, events: FakeEvents | None = None
) -> CallListener:
    return CallListener(order(), callback, reports or FakeReports(), events or FakeEvents(FakeClock()))


def report(reports: FakeReports) -> RunnerReport:
    stored = reports.read(order())
    assert stored is not None
    return stored


def test_keep_alive_sends_a_heartbeat() -> None:
    callback = FakeTaskCallback()
    assert listener(callback).keep_alive()
    assert callback.heartbeats == ["task"]


def test_keep_alive_returns_true_if_the_heartbeat_is_lost() -> None:
    callback = FakeTaskCallback()
    callback.lost_heartbeats = 1
    assert listener(callback).keep_alive()


def test_keep_alive_returns_false_if_the_call_was_canceled() -> None:
    callback = FakeTaskCallback()
    callback.gone = True
    assert not listener(callback).keep_alive()


def test_timeout_stores_a_retryable_error_before_it_ends_the_task() -> None:
    callback, reports, call = FakeTaskCallback(), FakeReports(), order()
    callback.on_end = lambda: stored_before_done.append(call.call_id in reports.stored)
    stored_before_done: list[bool] = []
    listener(callback, reports).on_timeout("no room")
    outcome = report(reports)
    assert (outcome.is_error, outcome.error_code, outcome.results) == (True, "E_TOOL_FAILED", {"error": "no room"})
    assert (outcome.meta_data or {})["retryable"] is True
    assert (callback.failed, stored_before_done) == ([("task", TOOL_ENDED)], [True])


def test_failure_stores_a_crash_and_ends_the_task() -> None:
    callback, reports = FakeTaskCallback(), FakeReports()
    listener(callback, reports).on_failure("signal 9")
    assert (report(reports).error_code, callback.failed) == ("E_TOOL_CRASHED", [("task", TOOL_ENDED)])
    assert "signal 9" in str(report(reports).results)


def test_failure_after_the_end_of_the_task_changes_nothing() -> None:
    callback, reports = FakeTaskCallback(), FakeReports()
    callback.gone = True
    listener(callback, reports).on_failure("signal 9")
    assert (reports.stored, callback.failed) == ({}, [])


def test_waiting_call_publishes_progress_without_numbers() -> None:
    events = FakeEvents(FakeClock())
    waiting = listener(FakeTaskCallback(), events=events)
    waiting.on_wait()
    waiting.on_start()
    payloads = [event.payload for event in events.list_after(TURN_ID, 0, 10)]
    assert [payload["message"] for payload in payloads] == ["Waiting for a free runner", "Starting"]
    assert {payload[name] for payload in payloads for name in ("progress", "total", "percentage")} == {None}


def test_listing_tools_gets_the_null_listener() -> None:
    assert isinstance(listener_for(json.loads('{"action": "list"}')), NullListener)
