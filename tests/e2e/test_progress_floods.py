"""Floods of progress reports: the runner receives all of them, and users see a few and always the last."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime

import pytest

from tests.e2e.conftest import NewUser
from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import Json, UserClient

REPORTS = 200
MAX_EVENTS_PER_SECOND = 4  # besides the first and the last event of a call
USERS, CALLS_PER_USER = 2, 5
START_SECONDS = 10  # enough for ten servers to start, so that they report at the same time


@dataclass(frozen=True)
class Flood:
    """The progress of one call: reports that the runner received, and the events that followers of the turn saw."""

    received: int
    events: list[Json]
    seconds: float


def run_floods(system: SystemProcess, user: UserClient, count: int, start_at: float = 0) -> list[Flood]:
    """Let this many tools report progress in parallel, and return the flood of each."""
    session_id = user.create_session()
    line = f"/trial.report_often {json.dumps({'reports': REPORTS, 'seconds': 1, 'start_at': start_at})}"
    turn = user.start_turn(session_id, "\n".join([line] * count))
    response = user.wait_for_turn(session_id, turn["turn_id"])
    assert [call["is_error"] for call in response["tool_calls"]] == [False] * count
    received = received_by_runner(system, user)
    events = user.events(session_id, turn["turn_id"])
    return [flood(call["call_id"], received, events, start_at) for call in response["tool_calls"]]


def flood(call_id: str, received: dict[str, int], events: list[Json], start_at: float) -> Flood:
    """Return the flood of one call. Its time is from the first report to the `tool_complete` event."""
    call_events = [event for event in events if event.get("call_id") == call_id]
    start, end = (
        next(datetime.fromisoformat(event["at"]).timestamp() for event in call_events if event["type"] == type_)
        for type_ in ("tool_start", "tool_complete")
    )
    progress = [event for event in call_events if event["type"] == "tool_progress"]
    return Flood(received[call_id], progress, end - max(start, start_at))


def received_by_runner(system: SystemProcess, user: UserClient) -> dict[str, int]:
    """Return the number of reports of each call, by call id, from the runner's log."""
    (log,) = system.temp_dir.glob(f"satchel-run-*/logs/satchel-run-trial-{user.name}.log")
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    return {line["call_id"]: line["progress_received"] for line in lines if "progress_received" in line}


def assert_received_and_throttled(call: Flood) -> None:
    assert call.received == REPORTS
    assert (call.events[-1]["progress"], call.events[-1]["message"]) == (REPORTS, f"{REPORTS} of {REPORTS}")
    assert len(call.events) <= MAX_EVENTS_PER_SECOND * call.seconds + 2
    progress = [event["progress"] for event in call.events]
    assert progress == sorted(set(progress))


@pytest.mark.clause("v2.1:progress:shown")
def test_200_reports_in_a_second_are_all_received_and_throttled_to_a_few_events(
    system: SystemProcess, new_user: NewUser
) -> None:
    (call,) = run_floods(system, new_user(), 1)
    assert_received_and_throttled(call)


def test_floods_of_ten_tools_at_once_are_all_received_and_throttled(system: SystemProcess, new_user: NewUser) -> None:
    start_at = time.time() + START_SECONDS
    with ThreadPoolExecutor(USERS) as pool:
        users = [new_user() for _ in range(USERS)]
        floods = pool.map(lambda user: run_floods(system, user, CALLS_PER_USER, start_at), users)
        calls = [call for user_floods in floods for call in user_floods]
    assert len(calls) == USERS * CALLS_PER_USER
    for call in calls:
        assert_received_and_throttled(call)
