"""The listener that acts for a queued tool call: it sends heartbeats, and ends the call if it waited too long."""

import json

from local.emulator.runners.wait_queue import NullListener
from local.emulator.tool_runners import QueuedCall, listener_for
from satchel.domain.calls import RunnerReport
from tests.fakes.storage import FakeFileStore
from tests.fakes.turns import FakeTaskCallback
from tests.unit.services.orders import order


def test_keep_alive_sends_a_heartbeat() -> None:
    callback = FakeTaskCallback()
    assert QueuedCall(order(), callback, FakeFileStore()).keep_alive()
    assert callback.heartbeats == ["task"]


def test_keep_alive_returns_true_if_the_heartbeat_is_lost() -> None:
    callback = FakeTaskCallback()
    callback.lost_heartbeats = 1
    assert QueuedCall(order(), callback, FakeFileStore()).keep_alive()


def test_keep_alive_returns_false_if_the_call_was_canceled() -> None:
    callback = FakeTaskCallback()
    callback.gone = True
    assert not QueuedCall(order(), callback, FakeFileStore()).keep_alive()


def test_timeout_stores_a_retryable_error_before_it_ends_the_task() -> None:
    callback, store, call = FakeTaskCallback(), FakeFileStore(), order()
    callback.on_succeed = lambda: stored_before_done.append(call.outcome_key in store.objects)
    stored_before_done: list[bool] = []
    QueuedCall(call, callback, store).on_timeout("no room")
    outcome = RunnerReport.model_validate_json(store.objects[call.outcome_key].body)
    assert (outcome.is_error, outcome.error_code, outcome.results) == (True, "E_TOOL_FAILED", {"error": "no room"})
    assert (outcome.meta_data or {})["retryable"] is True
    assert (callback.succeeded, stored_before_done) == (["task"], [True])


def test_listing_tools_gets_the_null_listener() -> None:
    assert isinstance(listener_for(json.loads('{"action": "list"}')), NullListener)
