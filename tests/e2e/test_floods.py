"""However much progress a tool reports: all of it arrives at the runner; a person is shown a little, and the last."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime

import pytest

from tests.e2e.conftest import Somebody
from tests.e2e.person import Json, Person
from tests.e2e.system import System

WORDS = 200
A_SECOND = 4  # are shown, and the first and the last of a call
PEOPLE, SIDE_BY_SIDE = 2, 5
READY_SECONDS = 10  # for ten servers to start, so that they speak at the same time


@dataclass(frozen=True)
class Flood:
    """What a call said: to the runner, and to those who follow its turn."""

    received: int
    shown: list[Json]
    seconds: float


def floods(system: System, person: Person, count: int, at: float = 0) -> list[Flood]:
    """Let so many tools report progress side by side, and return what came of it."""
    session_id = person.session()
    line = f"/trial.flood {json.dumps({'words': WORDS, 'seconds': 1, 'at': at})}"
    turn = person.start(session_id, "\n".join([line] * count))
    response = person.wait_for(session_id, turn["turn_id"])
    assert [call["is_error"] for call in response["tool_calls"]] == [False] * count
    received = received_by_runner(system, person)
    events = person.events(session_id, turn["turn_id"])
    return [flood(call["call_id"], received, events, at) for call in response["tool_calls"]]


def flood(call_id: str, received: dict[str, int], events: list[Json], at: float) -> Flood:
    """Return what came of one call; it lasted from when it began to speak until its end was told."""
    own = [event for event in events if event.get("call_id") == call_id]
    begun, ended = (
        next(datetime.fromisoformat(event["at"]).timestamp() for event in own if event["type"] == kind)
        for kind in ("tool_start", "tool_complete")
    )
    shown = [event for event in own if event["type"] == "tool_progress"]
    return Flood(received[call_id], shown, ended - max(begun, at))


def received_by_runner(system: System, person: Person) -> dict[str, int]:
    """Return how much progress each call brought, as the runner has it in its log."""
    (log,) = system.temp.glob(f"satchel-run-*/logs/satchel-run-trial-{person.name}.log")
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    return {line["call_id"]: line["progress_received"] for line in lines if "progress_received" in line}


def assert_all_came_and_little_was_shown(call: Flood) -> None:
    assert call.received == WORDS
    assert (call.shown[-1]["progress"], call.shown[-1]["message"]) == (WORDS, f"{WORDS} of {WORDS}")
    assert len(call.shown) <= A_SECOND * call.seconds + 2
    progress = [event["progress"] for event in call.shown]
    assert progress == sorted(set(progress))


@pytest.mark.clause("v2.1:progress:shown")
def test_two_hundred_words_in_a_second_are_all_heard_and_a_few_are_shown(system: System, somebody: Somebody) -> None:
    (found,) = floods(system, somebody(), 1)
    assert_all_came_and_little_was_shown(found)


def test_so_they_are_from_ten_tools_at_once(system: System, somebody: Somebody) -> None:
    at = time.time() + READY_SECONDS
    with ThreadPoolExecutor(PEOPLE) as pool:
        people = [somebody() for _ in range(PEOPLE)]
        made = pool.map(lambda person: floods(system, person, SIDE_BY_SIDE, at), people)
        found = [call for each in made for call in each]
    assert len(found) == PEOPLE * SIDE_BY_SIDE
    for each in found:
        assert_all_came_and_little_was_shown(each)
