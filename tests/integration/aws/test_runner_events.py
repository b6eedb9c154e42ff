"""Reported events on DynamoDB: relayed once and in order by any number of functions, whatever a runner writes."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satchel.adapters.dynamodb import runner_events
from satchel.adapters.dynamodb.events import DynamoEvents
from satchel.adapters.dynamodb.runner_events import DynamoEventReporter, DynamoReportedEvents
from satchel.adapters.dynamodb.table import Table
from satchel.domain.errors import Unavailable
from satchel.domain.events import NewEvent
from satchel.domain.ids import CallId, TurnId, call_id, turn_of
from satchel.services.calls.relay_events import RelayEvents
from tests.fakes.storage import FakeFileStore
from tests.fakes.system import FakeClock
from tests.integration.aws.factories import new_turn_id, run_concurrently
from tests.integration.aws.stored_steps import make_relay

LOG = '{"type": "tool_log", "level": "info", "message": "hello"}'
END = NewEvent(type="turn_failed", dedupe_key="end")


@pytest.fixture
def call() -> CallId:
    return call_id(new_turn_id(), 0, 0)


@pytest.fixture
def events(table: Table, clock: FakeClock) -> DynamoEvents:
    return DynamoEvents(table, clock)


@pytest.fixture
def relay(table: Table, clock: FakeClock) -> RelayEvents:
    return make_relay(table, FakeFileStore(), clock)


def log(number: int) -> NewEvent:
    return NewEvent(type="tool_log", payload={"level": "info", "message": str(number)})


def messages(events: DynamoEvents, call: CallId) -> list[str]:
    written = events.list_after(TurnId(turn_of(call)), 0, 1000)
    assert [event.seq for event in written] == list(range(2, len(written) + 2))
    return [event.payload.get("message", event.type) for event in written]


def put_raw(table: Table, pk: str, sk: str, **attributes: dict[str, Any]) -> None:
    """Write an item of any types, as a runner with stolen credentials can."""
    table.client.put_item(TableName=table.name, Item={"pk": {"S": pk}, "sk": {"S": sk}, **attributes})


def test_120_events_are_relayed_in_order_by_several_functions_at_once(
    table: Table, events: DynamoEvents, relay: RelayEvents, call: CallId
) -> None:
    reporter = DynamoEventReporter(table)
    for number in range(120):
        reporter.report(call, log(number))

    run_concurrently([lambda: relay(call) for _ in range(4)])
    assert relay.read_rest(call) is None

    assert messages(events, call) == [str(number) for number in range(120)]


def test_nothing_is_relayed_after_the_stop(
    table: Table, events: DynamoEvents, relay: RelayEvents, call: CallId
) -> None:
    stopping = DynamoReportedEvents(table, events.clock)
    stopping.stop(call)
    stopping.stop(call)
    DynamoEventReporter(table).report(call, log(1))
    assert relay(call) is True
    assert messages(events, call) == []


def test_nothing_is_relayed_after_the_turns_end(
    table: Table, events: DynamoEvents, relay: RelayEvents, call: CallId
) -> None:
    events.append(TurnId(turn_of(call)), END)
    DynamoEventReporter(table).report(call, log(1))
    assert relay(call) is True
    assert messages(events, call) == ["turn_failed"]


def test_relay_stops_at_the_limit_of_a_call(
    table: Table, events: DynamoEvents, relay: RelayEvents, call: CallId, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_events, "MAX_COUNT", 100)
    for number in range(120):
        DynamoEventReporter(table, iter([number])).report(call, log(number))
    put_raw(table, f"RUN#{call}", "EVENT#a")
    relay(call)
    assert messages(events, call) == [str(number) for number in range(100)]


ATTRIBUTE = st.sampled_from(
    [
        {"S": LOG}, {"S": ""}, {"S": "{"}, {"S": "[1]"}, {"S": "x" * 100_000}, {"N": "1.5"}, {"N": "1E+9"}, {"N": "7"},
        {"BOOL": True}, {"NULL": True}, {"B": b"\xff"}, {"SS": ["a"]}, {"M": {"a": {"S": ""}}}, {"L": []},
    ]
)  # fmt: skip
SORT_KEY = st.builds(
    lambda end: f"EVENT#{end}", st.sampled_from(["00000001", "00000002", "notanumber", "", "١٢٣٤٥٦٧٨", "-1", "9" * 500])
)
ITEMS = st.dictionaries(SORT_KEY, st.dictionaries(st.sampled_from(["doc", "seq", "type", "at"]), ATTRIBUTE), max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(items=ITEMS)
def test_arbitrary_items_of_a_runner_never_raise(
    table: Table, events: DynamoEvents, relay: RelayEvents, items: dict[str, dict[str, Any]]
) -> None:
    call = call_id(new_turn_id(), 0, 0)
    for sort_key, attributes in items.items():
        put_raw(table, f"RUN#{call}", sort_key, **attributes)
    assert relay(call) is True
    assert set(messages(events, call)) <= {"hello"}
    valid = [each for each in items.values() if each.get("doc") == {"S": LOG}]
    assert len(messages(events, call)) == len(valid)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(items=ITEMS)
def test_arbitrary_items_among_the_events_of_a_turn_never_raise(
    table: Table, events: DynamoEvents, items: dict[str, dict[str, Any]]
) -> None:
    turn_id = new_turn_id()
    for sort_key, attributes in items.items():
        put_raw(table, f"TURN#{turn_id}", sort_key, **attributes)
    readable = '{"type": "turn_started", "at": "2026-01-01T00:00:00+00:00", "payload": {}}'
    put_raw(table, f"TURN#{turn_id}", "EVENT#00000003", doc={"S": readable})
    assert 3 in [event.seq for event in events.list_after(turn_id, 0, 1)] + [
        event.seq for event in events.list_after(turn_id, 2, 1)
    ]
    with suppress(Unavailable):
        events.append(turn_id, NewEvent(type="turn_started"))
