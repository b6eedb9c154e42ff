"""How many events an execution of the turn machine writes into its history: computed from the definition.

What counts is Step Functions' own list (``HistoryEventType``): a state is entered and exited; an attempt of a task is
scheduled, started and succeeded (or failed, or timed out), and submitted in between where it waits for a token; a Map
is started and succeeded, and so is each of its iterations. Beats write nothing.
"""

import json
import re
from collections.abc import Callable
from typing import Any

State = dict[str, Any]

_EXECUTION = 2  # started; succeeded, failed, aborted or timed out
_STATE = 2
_MAP = 2
_ITERATION = 2
_NUMBER = re.compile(r"\$\{\w*Seconds\}")


def shortest_history(definition: str, *, rounds: int, calls: int) -> int:
    """Return how many events there are when nothing is tried again and nobody is asked, of so many calls in all."""
    return _history(definition, rounds, calls, _attempt)


def longest_history(definition: str, *, rounds: int, calls: int) -> int:
    """Return how many there are when each task fails as often as it may, and every call is asked about."""
    return _history(definition, rounds, calls, lambda state: _attempt(state) * (1 + _retries(state)), asked=True)


def _history(definition: str, rounds: int, calls: int, attempts: Callable[[State], int], *, asked: bool = False) -> int:
    """Behind the last round the model is asked once more, or finds that it may not go on."""
    states: dict[str, State] = json.loads(_NUMBER.sub("1", definition))["States"]
    steps: dict[str, State] = states["RunTools"]["ItemProcessor"]["States"]
    known = {"Think", "AnyCalls", "RunTools", "Finish", "AskFirst", "Approval", "Dispatch", "Normalize"}
    assert {*states, *steps} == known, "the machine has other states than are counted here"

    def task(state: State) -> int:
        return _STATE + attempts(state)

    thought = task(states["Think"]) + _STATE
    call = _ITERATION + _STATE + task(steps["Dispatch"]) + task(steps["Normalize"])
    call += task(steps["Approval"]) if asked else 0
    return _EXECUTION + (rounds + 1) * thought + rounds * (_STATE + _MAP) + calls * call + task(states["Finish"])


def _attempt(task: State) -> int:
    return 4 if task["Resource"].endswith(".waitForTaskToken") else 3


def _retries(task: State) -> int:
    """Each retrier counts for itself."""
    return sum(retrier["MaxAttempts"] for retrier in task["Retry"])
