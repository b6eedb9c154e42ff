"""A call that waits for its runner is spoken for: alive while it waits, and ended with a reason when in vain."""

import json

from local.calls_in_line import CallInLine, attend
from local.runners.line import Unattended
from satchel.domain.calls import Outcome
from tests.fakes.file_store import FakeFileStore
from tests.fakes.workflow import FakeTaskCallback
from tests.unit.services.orders import order


def test_it_beats_for_the_call() -> None:
    callback = FakeTaskCallback()
    assert CallInLine(order(), callback, FakeFileStore()).still_wanted()
    assert callback.beats == ["task"]


def test_a_lost_beat_is_no_reason_to_give_up() -> None:
    callback = FakeTaskCallback()
    callback.lost_beats = 1
    assert CallInLine(order(), callback, FakeFileStore()).still_wanted()


def test_a_cancelled_call_is_not_wanted() -> None:
    callback = FakeTaskCallback()
    callback.gone = True
    assert not CallInLine(order(), callback, FakeFileStore()).still_wanted()


def test_a_call_that_found_no_room_ends_with_the_reason_and_may_be_tried_again() -> None:
    callback, store, call = FakeTaskCallback(), FakeFileStore(), order()
    callback.on_done = lambda: seen.append(call.outcome_key in store.objects)
    seen: list[bool] = []
    CallInLine(call, callback, store).refused("no room")
    outcome = Outcome.model_validate_json(store.objects[call.outcome_key].body)
    assert (outcome.is_error, outcome.error_code, outcome.results) == (True, "E_TOOL_FAILED", {"error": "no room"})
    assert (outcome.meta_data or {})["retryable"] is True
    assert (callback.ended, seen) == (["task"], [True])


def test_who_asks_for_a_list_waits_for_himself() -> None:
    assert isinstance(attend(json.loads('{"action": "list"}')), Unattended)
