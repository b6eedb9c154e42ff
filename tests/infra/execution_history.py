"""The number of history events of a turn's execution, computed from the state machine's definition.

The events are those of Step Functions (``HistoryEventType``). A state has two (entered, exited). An attempt of a task
has three (scheduled, started, and succeeded, failed or timed out), and a fourth (submitted) if it waits for a task
token. A Map has two (started, succeeded), and so has each of its iterations. Heartbeats have none.
"""

import json
from collections.abc import Callable
from typing import Any

from satchel.services.turns.think import MAX_WAIT

State = dict[str, Any]

_EXECUTION = 2  # started, and one of succeeded, failed, aborted, timed out
_STATE = 2
_MAP = 2
_ITERATION = 2


def min_history(definition: str, *, rounds: int, calls: int, alone: int = 0, has_answer: bool = True) -> int:
    """Return the number of events without retries, approvals and slow tools. ``calls`` is the total of all rounds.

    ``alone`` counts the rounds whose only call runs outside of the Map. The first round runs before the execution.
    Think ends a turn with an answer, and the state Finish ends the others.
    """
    without_map = alone * (_STATE + _MAP + _ITERATION)
    return _history(definition, rounds, calls, _attempt, ends_in_finish=not has_answer) - without_map


def max_history(definition: str, *, rounds: int, calls: int, input_rounds: int, polls: int) -> int:
    """Return the number of events with all retries, an approval of every call, and the longest wait for servers.

    The execution repeats the first round, which has failed. All calls run in the Map, which needs more events.

    ``input_rounds`` counts how often the calls ask the user. Each time, the state Resume runs. Before each of
    the ``polls``, there is a wait.
    """

    def attempts(state: State) -> int:
        return _attempt(state) * (1 + _retries(state))

    steps: dict[str, State] = json.loads(definition)["States"]["RunTools"]["ItemProcessor"]["States"]
    asking = sum(_STATE + attempts(steps[name]) for name in ("Input", "Resume"))
    polling = _STATE + _STATE + attempts(steps["Poll"])
    most = _history(
        definition, rounds, calls, attempts, with_approvals=True, repeats_first_round=True, ends_in_finish=True
    )
    return most + input_rounds * asking + polls * polling


def _history(
    definition: str,
    rounds: int,
    calls: int,
    attempts: Callable[[State], int],
    *,
    with_approvals: bool = False,
    repeats_first_round: bool = False,
    ends_in_finish: bool,
) -> int:
    """Return the number of events. After each round of calls, the state Think runs.

    With ``repeats_first_round``, it also runs after an empty Map at the start.
    """
    states: dict[str, State] = json.loads(definition)["States"]
    steps: dict[str, State] = states["RunTools"]["ItemProcessor"]["States"]
    known = {"Think", "AnyCalls", "AwaitServers", "RunTools", "Finish", "Ended"}
    known |= {"Input", "Dispatch", "Resume", "RecordToolResult"}
    known |= {"Poll", *(name for name, state in steps.items() if state["Type"] == "Wait")}
    known |= {f"{name}Alone" for name in steps if name != "Dispatch"}
    assert {*states, *steps} == known, "the machine has states that this module does not count"

    def task(state: State) -> int:
        return _STATE + attempts(state)

    think_events = task(states["Think"]) + _STATE
    waits = int(MAX_WAIT.total_seconds()) // states["AwaitServers"]["Seconds"] if with_approvals else 0
    call = _ITERATION + task(steps["Dispatch"])
    call += task(steps["Resume"]) + task(steps["RecordToolResult"]) if with_approvals else 0
    wait = waits * (think_events + _STATE)
    end = task(states["Finish"]) if ends_in_finish else _STATE
    rounds += repeats_first_round
    return _EXECUTION + wait + rounds * (think_events + _STATE + _MAP) + calls * call + end


def _attempt(task: State) -> int:
    return 4 if task["Resource"].endswith(".waitForTaskToken") else 3


def _retries(task: State) -> int:
    """Return the sum over all retriers, because each has its own count of attempts."""
    return sum(retrier["MaxAttempts"] for retrier in task["Retry"])
