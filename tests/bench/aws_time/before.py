"""Turns as they were before requests had a budget (commit a3d1d58b of 22 November 2026), on the same model of AWS.

To record it again, copy ``recording.py``, ``trace.py`` and the spans of ``tests/infra/deployment`` onto that commit.
The state machine started with the turn, Dispatch did not wait for the runner, RecordToolResult stored its result, and
only the table's stream pushed events.
"""

from pathlib import Path

from tests.bench.aws_time import delays
from tests.bench.aws_time.cloud import INVOKE, RUNNER, Deployment, start_seconds
from tests.bench.aws_time.simulation import Process
from tests.bench.aws_time.turns import START, SUCCESS, TurnOnAws, Version, first_text_of, last_event_of

TRACES = Path(__file__).with_name("turns_before.json")
"""The recorded turns."""


class _EarlierTurn(TurnOnAws):
    def run(self, rounds: int) -> Process:
        simulation = self._cloud.simulation
        yield from self._message(START)
        for _ in range(rounds):
            yield from self._state(self._functions["Think"][0])
            yield from self._transitions(3)  # the choice after Think, the map, the choice of an approval
            yield from self._tool()
        answers, finish = self._functions["Think"][-1], self._functions["Finish"][-1]
        yield from self._transitions(1)
        on_answer = self._shown_by(answers, {first_text_of(answers): [self._times.first_text]})
        yield simulation.start(self._cloud.invoke(answers, on_request=on_answer))
        yield from self._transitions(2)  # the choice after Think, and Finish
        on_end = self._shown_by(finish, {last_event_of(finish): [self._times.end]})
        yield simulation.start(self._cloud.invoke(finish, on_request=on_end))

    def _tool(self) -> Process:
        """Run one tool call: Dispatch, the runner that it invokes, and RecordToolResult."""
        yield from self._transitions(1)
        yield from self._until(self._functions["Dispatch"][0], INVOKE)
        self._offer()
        yield self._cloud.sample(delays.EVENT_QUEUE)
        yield from self._until(self._functions[RUNNER][0], SUCCESS)
        yield from self._state(self._functions["RecordToolResult"][0])
        self._offer()


def _memory_of(function: str) -> int:
    return 1024 if function.startswith(RUNNER) else 512


def _start_of(function: str) -> float:
    """Return the time of today's function, so that only requests differ. RecordToolResult imported what Finish does."""
    return start_seconds("Finish" if function == "RecordToolResult" else function)


VERSION = Version(_EarlierTurn, Deployment(_memory_of, _start_of, factor=1))
