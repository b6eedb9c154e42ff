"""What every function does around its work: log lines that name the turn, figures that are written at the end."""

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache, wraps
from typing import Any, TypeVar

from aws_lambda_powertools.logging.formatter import THREAD_LOCAL_KEYS

from satchel.bootstrap.logs import set_up_logs
from satchel.bootstrap.metrics import metrics
from satchel.domain.metrics import COLD_STARTS

R = TypeVar("R")
_Handler = Callable[[Any, Any], R]

_TURN_IN_PATH = re.compile(r"/turns/(t[0-9a-z]{26})(?:/|$)")
_TURN_IN_MESSAGE = re.compile(r'"turn_id"\s*:\s*"(t[0-9a-z]{26})"')


def observed(function: str) -> Callable[[_Handler[R]], _Handler[R]]:
    """Decorate the handler of a function; nothing is made before its first event."""

    def decorate(handler: _Handler[R]) -> _Handler[R]:
        @wraps(handler)
        def run(event: Any, context: Any) -> R:  # noqa: ANN401  (a Lambda handler)
            set_up_logs(function)
            _correlate(event, context)
            _count_start(function)
            try:
                return handler(event, context)
            finally:
                metrics().flush()

        return run

    return decorate


def about_turns(work: Callable[[str], R]) -> Callable[[str], R]:
    """Have the lines of work on one turn after the other say which it is."""

    def run(turn_id: str) -> R:
        THREAD_LOCAL_KEYS.set(THREAD_LOCAL_KEYS.get() | {"correlation_id": turn_id})
        return work(turn_id)

    return run


def _correlate(event: object, context: object) -> None:
    """Have all lines of this invocation say which turn it is about, and which invocation it is."""
    keys = {"correlation_id": turn_of(event), "function_request_id": getattr(context, "aws_request_id", None)}
    THREAD_LOCAL_KEYS.set({name: value for name, value in keys.items() if value is not None})


@lru_cache
def _count_start(function: str) -> None:
    metrics().add(COLD_STARTS, 1, function)


def turn_of(event: object) -> str | None:
    """Return the turn that an event is about, whoever sent it: the state machine, its rule, API Gateway."""
    if not isinstance(event, Mapping):
        return None
    detail = event.get("detail")
    if isinstance(detail, Mapping) and isinstance(detail.get("input"), str):
        return turn_of(json.loads(detail["input"]))
    for pattern, text in ((_TURN_IN_PATH, event.get("rawPath")), (_TURN_IN_MESSAGE, event.get("body"))):
        if isinstance(text, str) and (found := pattern.search(text)):
            return found[1]
    turn = event.get("turn_id")
    return turn if isinstance(turn, str) else None
