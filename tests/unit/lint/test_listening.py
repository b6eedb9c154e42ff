"""Waiting for a tool as long as a runner would."""

import pytest

from local.lint.listening import TIMEOUT, listen
from satchel.domain.timing import Limits
from satchel.ports.tool_client import Answered, Failed, Log, Progress
from tests.fakes.clock import FakeClock
from tests.fakes.tool_client import FakeRunningCall, Script

ANSWER = Answered(raw={"content": []})


def call(script: Script) -> tuple[FakeRunningCall, FakeClock]:
    clock = FakeClock()
    return FakeRunningCall(clock, script), clock


def test_an_answer_is_handed_on_with_the_silence_before_it() -> None:
    running, clock = call([(12, ANSWER)])
    heard = listen(running, clock, Limits())

    assert heard.raw == ANSWER.raw
    assert heard.fault is None
    assert heard.silent_seconds == pytest.approx(12, abs=0.01)


def test_the_longest_silence_counts_and_a_word_ends_it() -> None:
    running, clock = call([(9, Progress(progress=1)), (21, Log(level="info", message="x")), (29, ANSWER)])
    heard = listen(running, clock, Limits())

    assert heard.raw == ANSWER.raw
    assert heard.silent_seconds == pytest.approx(12, abs=0.01)


@pytest.mark.clause("v2.1:time:timeout")
def test_a_tool_that_is_silent_for_too_long_is_ended() -> None:
    running, clock = call([(5, Progress(progress=1)), (40, ANSWER)])
    heard = listen(running, clock, Limits())

    assert heard.raw is None
    assert heard.fault is not None
    assert heard.fault.clause == TIMEOUT.id
    assert heard.fault.message == "The tool was silent for 30 seconds and was ended."
    assert running.killed_at == clock.monotonic()


def test_a_tool_that_never_stops_talking_is_ended_as_well() -> None:
    running, clock = call([(second, Progress(progress=second)) for second in range(1, 200)])
    heard = listen(running, clock, Limits(most=100))

    assert heard.fault is not None
    assert heard.fault.message == "The tool ran for 100 seconds and was ended."


def test_a_tool_that_gives_no_output_is_at_fault() -> None:
    running, clock = call([(1, Failed(crashed=True, message="The tool's server ended with exit code 3"))])
    heard = listen(running, clock, Limits())

    assert heard.fault is not None
    assert heard.fault.message == "The tool gave no output: The tool's server ended with exit code 3."
