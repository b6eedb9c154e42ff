"""Functions that store what the steps of a turn store, one by one."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from satchel.adapters.dynamodb.calls import DynamoCalls, call_item
from satchel.adapters.dynamodb.inputs import DynamoInputs
from satchel.adapters.dynamodb.runner_events import DynamoReportedEvents
from satchel.adapters.dynamodb.steps import DynamoSteps
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.transcript import reply_item, result_item
from satchel.domain.audit import ended_call_entry
from satchel.domain.calls import Call, CallResult
from satchel.domain.conversation import AssistantMessage, TokenUsage, ToolMessage
from satchel.domain.events import NewEvent
from satchel.domain.sessions import Turn
from satchel.ports.calls import ReportedPage
from satchel.ports.steps import CallEnd, CallStart, EndedCall, Round
from satchel.ports.storage import FileStore
from satchel.services.calls.relay_events import RelayEvents
from tests.fakes.system import FakeClock
from tests.integration.aws.factories import START

AUDIT_RETENTION = timedelta(days=90)
END = NewEvent(type="turn_failed")
TOOL_START = NewEvent(type="tool_start")
TOOL_COMPLETE = NewEvent(type="tool_complete")


def make_steps(table: Table, store: FileStore, now: datetime = START) -> DynamoSteps:
    return DynamoSteps(table, store, FakeClock(now), AUDIT_RETENTION)


def make_relay(table: Table, store: FileStore, clock: FakeClock) -> RelayEvents:
    return RelayEvents(
        DynamoReportedEvents(table, clock),
        DynamoCalls(table, store),
        DynamoInputs(table),
        clock,
        input_bound=timedelta(minutes=5),
    )


def add_calls(table: Table, store: FileStore, calls: Sequence[Call]) -> None:
    for call in calls:
        table.put(call_item(store, call))


def add_reply(table: Table, store: FileStore, turn: Turn, number: int, message: AssistantMessage) -> None:
    table.put(reply_item(store, turn, number, message))


def add_result(table: Table, store: FileStore, call: Call, message: ToolMessage) -> None:
    table.put(result_item(store, call, message))


def make_round(
    number: int,
    reply: AssistantMessage,
    calls: Sequence[Call] = (),
    usage: TokenUsage | None = None,
    event: NewEvent | None = None,
) -> Round:
    return Round(number, reply, calls, usage or TokenUsage(), event)


def start_call(steps: DynamoSteps, call: Call, limit: int | None) -> bool:
    """Start a call. Return False if the user runs ``limit`` calls."""
    return steps.start_call(call, TOOL_START, limit).outcome is not CallStart.TOO_MANY_CALLS


def end_call(
    steps: DynamoSteps,
    call: Call,
    result: CallResult | None = None,
    *,
    page: ReportedPage | None = None,
    relayed: Sequence[NewEvent] = (),
    stops_runner: bool = False,
) -> CallEnd:
    result = result or CallResult(is_error=False)
    message = ToolMessage(ref=call.ref, tool=call.tool, content={"results": result.results})
    audit = ended_call_entry(call, result, START)
    return steps.end_call(EndedCall(call, result, message, audit, [TOOL_COMPLETE], relayed, page, stops_runner))
