"""The requests of a turn to AWS: how many, how many wait for one another, and what they cost in write units.

``docs/data-model.md`` has the table of these numbers, and the numbers of version 0.1.0.
"""

import json
import re
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from satchel.adapters.dynamodb.events import LAST_NUMBERS
from tests.integration.turn.fakes import Script
from tests.integration.turn.request_counter import RequestCounter
from tests.integration.turn.turn_driver import TurnDriver, patient_dispatch, real_handler, run_backend

DOCUMENT = Path(__file__).parents[3] / "docs" / "data-model.md"
STATES = ("think", "dispatch")
CALL = ("say", {"size": 10})
TALK: Script = []
ONE_TOOL: Script = [[CALL]]
SCRIPTS: Mapping[str, Script] = {"talk": TALK, "one tool": ONE_TOOL, "two tools": [[CALL] * 2], "three": [[CALL] * 3]}
PROGRESS = "one tool that reports progress"
STEPS = {
    "API": "start",
    "Think, first round": "think 0",
    "Dispatch": "dispatch 00-00",
    "Think, second round": "think 1",
}


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, RequestCounter]:
    """Run each kind of turn once, the calls of a round one after the other, and return its requests."""
    counter = RequestCounter()
    with run_backend(tmp_path_factory.mktemp("turns")) as turns, counter.patched_clients(), ExitStack() as stack:
        stack.enter_context(patient_dispatch())
        limit_to_one_call_at_a_time(turns)
        for state in STATES:
            # On AWS, each function has processes of its own, so no step knows the numbers of another one's events.
            handler = counter.handler(state, real_handler(state), before=LAST_NUMBERS.clear)
            stack.enter_context(turns.replaced(state, handler))
        turns.run(turns.new_session(), ONE_TOOL)  # stores the tool list
        with_progress = {PROGRESS: run(turns, counter, ONE_TOOL)}
        turns.bench.reports_progress = False
        return with_progress | {kind: run(turns, counter, script) for kind, script in SCRIPTS.items()}


def run(turns: TurnDriver, counter: RequestCounter, script: Script) -> RequestCounter:
    session = turns.new_session()
    counter.requests.clear()
    turn = counter.count("start", lambda: turns.start(session, script))
    assert turns.wait_for_end(turn).answer == "Done."
    return RequestCounter(list(counter.requests))


def limit_to_one_call_at_a_time(turns: TurnDriver) -> None:
    """Calls of one round append events to one turn. If they do it at once, some repeat a request."""
    definition = json.loads(turns.states.describe_state_machine(stateMachineArn=turns.machine)["definition"])
    definition["States"]["RunTools"]["MaxConcurrency"] = 1
    turns.states.update_state_machine(stateMachineArn=turns.machine, definition=json.dumps(definition))


def test_turn_without_tools_sends_10_requests_of_which_7_wait(counts: Mapping[str, RequestCounter]) -> None:
    assert (len(counts["talk"].requests), counts["talk"].depth()) == (10, 7)


def test_turn_with_one_tool_sends_23_requests_of_which_16_wait(counts: Mapping[str, RequestCounter]) -> None:
    assert (len(counts["one tool"].requests), counts["one tool"].depth()) == (23, 16)


def test_each_further_call_of_a_round_sends_7_requests(counts: Mapping[str, RequestCounter]) -> None:
    assert [len(counts[kind].requests) for kind in SCRIPTS] == [10, 23, 30, 37]


def test_tool_that_reports_progress_costs_three_requests_more(
    counts: Mapping[str, RequestCounter],
) -> None:
    assert (len(counts[PROGRESS].requests), counts[PROGRESS].depth()) == (26, 17)


def test_no_step_reads_anything_twice_except_before_and_after_a_tool(counts: Mapping[str, RequestCounter]) -> None:
    for counter in counts.values():
        ran: set[str] = set()  # the steps that have run a tool
        reads = []
        for request in counter.requests:
            if request.operation == "Invoke":
                ran.add(request.step)
            elif request.operation in {"GetItem", "Query"}:
                reads.append((request.step, request.step in ran, request.operation, request.target))
        assert len(reads) == len(set(reads))


def test_turn_without_tools_writes_these_items(counts: Mapping[str, RequestCounter]) -> None:
    """The document explains the sum. The transaction of the begin has no check, and no event."""
    assert [(request.step, dict(request.writes)) for request in counts["talk"].requests if request.writes] == [
        ("start", {"USER SESSION": 2, "SESSION TURN": 2, "USER TURNS": 2}),
        ("think 0", {"TURN EVENT": 1}),
        ("think 0", {"USER WORDS": 1}),
        ("think 0", {"TURN EVENT": 2, "SESSION TURN": 2, "USER SESSION": 2}),
    ]


def test_document_has_the_requests_of_each_step(counts: Mapping[str, RequestCounter]) -> None:
    section = DOCUMENT.read_text("utf-8").partition("## Request budget")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| ([^|]+?) \| [^|]+ \| ([^|]+?) \|", section, re.MULTILINE))
    one_tool = counts["one tool"]
    for name, step in STEPS.items():
        requests = [request for request in one_tool.requests if request.step == step]
        depth = max(request.depth for request in requests)
        assert rows[name] == f"{len(requests)}, {depth} deep: {describe(one_tool.by_step()[step])}"
    for kind in ("talk", "one tool"):
        counter = counts[kind]
        assert rows[f"**{kind}**"] == (
            f"**{len(counter.requests)}, {counter.depth()} deep, {counter.write_units()} write units**"
        )


def describe(operations: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {re.sub('(Write)?Items?$', '', name)}" for name, count in operations.items())
