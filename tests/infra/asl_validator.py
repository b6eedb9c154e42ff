"""A validator for state machines in the Amazon States Language (JSONPath), to find errors before a deployment does.

``problems(text)`` takes the definition with all placeholders filled and returns a sentence for each error.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

State = dict[str, Any]
States = dict[str, State]

_PLACEHOLDER = re.compile(r"\$\{\w*\}")
_MACHINE = {"Comment", "StartAt", "States", "TimeoutSeconds", "Version"}
_PROCESSOR = {"Comment", "StartAt", "States", "ProcessorConfig"}
_EVERY = {"Type", "Comment"}
_PATHS = {"InputPath", "OutputPath"}
_RESULT = {"ResultPath", "ResultSelector", "Parameters"}
_ERRORS = {"Retry", "Catch"}
_ON = {"Next", "End"}
_TIMES = {"TimeoutSeconds", "TimeoutSecondsPath", "HeartbeatSeconds", "HeartbeatSecondsPath"}
_MAP = {"ItemProcessor", "ItemsPath", "ItemSelector", "MaxConcurrency", "ToleratedFailureCount"}
_FIELDS = {
    "Task": _EVERY | _PATHS | _RESULT | _ERRORS | _ON | _TIMES | {"Resource"},
    "Map": _EVERY | _PATHS | _RESULT | _ERRORS | _ON | _MAP,
    "Parallel": _EVERY | _PATHS | _RESULT | _ERRORS | _ON | {"Branches"},
    "Pass": _EVERY | _PATHS | _RESULT | _ON | {"Result"},
    "Wait": _EVERY | _PATHS | _ON | {"Seconds", "SecondsPath", "Timestamp", "TimestampPath"},
    "Choice": _EVERY | _PATHS | {"Choices", "Default"},
    "Succeed": _EVERY | _PATHS,
    "Fail": _EVERY | {"Error", "ErrorPath", "Cause", "CausePath"},
}
_REQUIRED = {"Task": {"Resource"}, "Map": {"ItemProcessor"}, "Parallel": {"Branches"}, "Choice": {"Choices"}}


def problems(text: str) -> list[str]:
    """Return the errors of a definition, none if it passes all checks."""
    if unfilled := sorted(set(_PLACEHOLDER.findall(text))):
        return [f"placeholder {name} is not filled" for name in unfilled]
    try:
        machine = json.loads(text)
    except ValueError as error:
        return [f"not JSON: {error}"]
    return [*_jsonata(text), *_unknown("the machine", machine, _MACHINE), *_scope("the machine", machine)]


def _jsonata(text: str) -> Iterator[str]:
    if '"QueryLanguage"' in text:
        yield "QueryLanguage is set: JSONPath is the language here"
    if "{%" in text:
        yield "a JSONata expression {% … %}"


def _unknown(where: str, fields: State, known: set[str]) -> Iterator[str]:
    yield from (f"{where}: unknown field {field}" for field in sorted(fields.keys() - known))


def _scope(where: str, scope: State) -> Iterator[str]:
    """Check the states of a machine, a Map's processor or a branch. No transition may leave them."""
    states: States = scope.get("States") or {}
    for name, state in states.items():
        yield from _state(name, state)
        yield from (f"{name}: {target} does not exist" for target in _targets(state) if target not in states)
    start = scope.get("StartAt")
    if start not in states:
        yield f"{where}: StartAt {start} does not exist"
        return
    reached = _reached(states, [start])
    yield from (f"{name} is never reached" for name in states if name not in reached)
    if not any(_ends(states[name]) for name in reached):
        yield f"{where}: no state ends it"
        return
    yield from (f"{name}: no end can be reached" for name in reached if not _can_end(states, name))


def _reached(states: States, start: Iterable[str]) -> set[str]:
    reached: set[str] = set()
    queue = list(start)
    while queue:
        name = queue.pop()
        if name in states and name not in reached:
            reached.add(name)
            queue += _targets(states[name])
    return reached


def _can_end(states: States, name: str) -> bool:
    return any(_ends(states[reached]) for reached in _reached(states, [name]))


def _ends(state: State) -> bool:
    return state.get("End") is True or state.get("Type") in {"Succeed", "Fail"}


def _targets(state: State) -> list[str]:
    steps = [state, *state.get("Catch", []), *state.get("Choices", [])]
    return [step[key] for step in steps for key in ("Next", "Default") if key in step]


def _state(name: str, state: State) -> Iterator[str]:
    kind = str(state.get("Type"))
    if kind not in _FIELDS:
        yield f"{name}: unknown type {kind}"
        return
    yield from _unknown(name, state, _FIELDS[kind])
    yield from (f"{name}: {field} is missing" for field in sorted(_REQUIRED.get(kind, set()) - state.keys()))
    if _FIELDS[kind] >= _ON and ("Next" in state) == (state.get("End") is True):
        yield f"{name}: needs Next or End, and not both"
    yield from _choices(name, state)
    yield from _handlers(name, state)
    yield from _waits(name, state)
    for field in ("Parameters", "ItemSelector", "ResultSelector"):
        yield from _template(name, state.get(field, {}))
    yield from _inner(name, state)


def _inner(name: str, state: State) -> Iterator[str]:
    for scope in [*state.get("Branches", []), *([state["ItemProcessor"]] if "ItemProcessor" in state else [])]:
        yield from _unknown(name, scope, _PROCESSOR)
        yield from _scope(name, scope)


def _choices(name: str, state: State) -> Iterator[str]:
    if "Choices" in state and not state["Choices"]:
        yield f"{name}: Choices is empty"
    yield from (f"{name}: a choice without Next" for choice in state.get("Choices", []) if "Next" not in choice)


def _handlers(name: str, state: State) -> Iterator[str]:
    """Check Retry and Catch. States.ALL must be alone and last, because Step Functions ignores what follows it."""
    for field in ("Retry", "Catch"):
        handlers = state.get(field, [])
        for handler in handlers:
            errors = handler.get("ErrorEquals", [])
            if not errors:
                yield f"{name}: {field} without ErrorEquals"
            if "States.ALL" in errors and (len(errors) > 1 or handler is not handlers[-1]):
                yield f"{name}: States.ALL in {field} must be alone and last"
    yield from (f"{name}: Catch without Next" for handler in state.get("Catch", []) if "Next" not in handler)


def _waits(name: str, state: State) -> Iterator[str]:
    """Check the timeouts. A task that waits for a token must also pass the token on."""
    if state.get("HeartbeatSeconds", 0) >= state.get("TimeoutSeconds", float("inf")):
        yield f"{name}: HeartbeatSeconds is not less than TimeoutSeconds"
    if not str(state.get("Resource", "")).endswith(".waitForTaskToken"):
        return
    if "$$.Task.Token" not in json.dumps(state.get("Parameters", {})):
        yield f"{name}: waits for a token but does not pass it on"
    if not state.keys() & {"TimeoutSeconds", "TimeoutSecondsPath"}:
        yield f"{name}: waits for a token without a timeout"


def _template(name: str, value: object) -> Iterator[str]:
    """Check that exactly the keys that end with ``.$`` have a path or an intrinsic function as their value."""
    if isinstance(value, list):
        for each in value:
            yield from _template(name, each)
    if not isinstance(value, dict):
        return
    for key, each in value.items():
        computed = isinstance(each, str) and each.startswith(("$", "States."))
        if key.endswith(".$") != computed:
            yield f"{name}: {key} does not match the value {each!r}"
        yield from _template(name, each)
