"""Waiting for a tool's answer as long as a runner would, and noticing how long it is silent (spec 3 §11)."""

from dataclasses import dataclass
from typing import Any

from local.lint.check import no_output
from local.lint.findings import Clause, Finding
from satchel.domain.timing import Limits, Overdue, Silence
from satchel.ports.clock import Clock
from satchel.ports.tool_client import Answered, Failed, RunningCall

TIMEOUT = Clause("v2.1:time:timeout", "3 §11.3")


@dataclass(frozen=True)
class Heard:
    """What came of a call: the raw result, or the fault that kept it from coming; and the longest silence (s)."""

    raw: dict[str, Any] | None
    fault: Finding | None
    silent_seconds: float


def listen(running: RunningCall, clock: Clock, limits: Limits) -> Heard:
    """Wait for the end of a call, or end it when it is overdue."""
    last_word = clock.monotonic()
    silence = Silence(limits, last_word)
    longest = 0.0
    while True:
        now = clock.monotonic()
        due = silence.look(now)
        if isinstance(due, Overdue):
            running.kill()
            return Heard(None, _timed_out(due), max(longest, now - last_word))
        signal = None if due else running.receive(max(0.0, silence.next_at() - now))
        if signal is None:
            continue
        now = clock.monotonic()
        longest, last_word = max(longest, now - last_word), now
        silence.heard(now)
        if isinstance(signal, Answered):
            return Heard(signal.raw, None, longest)
        if isinstance(signal, Failed):
            return Heard(None, no_output(f"The tool gave no output: {signal.message.rstrip('.')}."), longest)


def _timed_out(due: Overdue) -> Finding:
    how = "was silent for" if due.kind == "silence" else "ran for"
    message = f"The tool {how} {due.seconds:g} seconds and was ended."
    return TIMEOUT.error("$", message, "Report progress from time to time, and do less in one call.")
