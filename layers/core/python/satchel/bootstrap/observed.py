"""Adds metrics and logs with the turn id to Lambda handlers. The logs contain no request bodies, tokens or prompts."""

import json
import logging
import re
from collections.abc import Callable, Mapping
from functools import lru_cache, wraps
from threading import Lock
from typing import Any, TypeVar

from aws_lambda_powertools import Logger
from aws_lambda_powertools.logging.formatter import THREAD_LOCAL_KEYS
from aws_lambda_powertools.logging.utils import copy_config_to_registered_loggers

from satchel.adapters.emf_metrics import EmfMetrics, SilentMetrics
from satchel.bootstrap import end_startup
from satchel.domain.ids import CallId, TurnId, turn_of
from satchel.settings import MetricSettings

R = TypeVar("R")
Id = TypeVar("Id", TurnId, CallId)
_Handler = Callable[[Any, Any], R]

_setup_lock = Lock()

_TURN_IN_PATH = re.compile(r"/turns/(t[0-9a-z]{26})(?:/|$)")
_TURN_IN_MESSAGE = re.compile(r'"turn_id"\s*:\s*"(t[0-9a-z]{26})"')


def set_up_logs(service: str) -> Logger:
    """Make every ``satchel`` logger write JSON lines that contain ``service``, the name of the Lambda function."""
    with _setup_lock:  # the setup of powertools is not thread-safe
        return _set_up_logs(service)


@lru_cache
def _set_up_logs(service: str) -> Logger:
    logging.getLogger("satchel")
    logger = Logger(service=service)
    copy_config_to_registered_loggers(source_logger=logger, include={"satchel"})
    return logger


@lru_cache
def metrics() -> EmfMetrics | SilentMetrics:
    """Return the metrics of this process. The decorator ``observed`` logs them after each Lambda invocation."""
    return EmfMetrics() if MetricSettings().metrics == "emf" else SilentMetrics()


def observed(function: str) -> Callable[[_Handler[R]], _Handler[R]]:
    """Return a decorator that adds logs and metrics to a Lambda handler. ``function`` is the Lambda function's name."""

    def decorate(handler: _Handler[R]) -> _Handler[R]:
        @wraps(handler)
        def run(event: Any, context: Any) -> R:  # noqa: ANN401  (a Lambda handler)
            end_startup()
            set_up_logs(function)
            _set_log_keys(event, context)
            try:
                return handler(event, context)
            finally:
                metrics().flush()

        return run

    return decorate


def with_turn_id(work: Callable[[Id], R]) -> Callable[[Id], R]:
    """Wrap ``work``, which is called for each turn or call, so that its log lines contain the id of the turn."""

    def run(turn_or_call: Id) -> R:
        THREAD_LOCAL_KEYS.set(THREAD_LOCAL_KEYS.get() | {"correlation_id": turn_of(turn_or_call)})
        return work(turn_or_call)

    return run


def _set_log_keys(event: object, context: object) -> None:
    """Add the turn id and the Lambda request id to every log line of this invocation."""
    keys = {"correlation_id": find_turn_id(event), "function_request_id": getattr(context, "aws_request_id", None)}
    THREAD_LOCAL_KEYS.set({name: value for name, value in keys.items() if value is not None})


def find_turn_id(event: object) -> str | None:
    """Return the turn id in a Lambda event (of Step Functions, EventBridge, API Gateway or a failure), or None."""
    if not isinstance(event, Mapping):
        return None
    detail = event.get("detail")
    if isinstance(detail, Mapping) and isinstance(detail.get("input"), str):
        return find_turn_id(json.loads(detail["input"]))
    if "requestPayload" in event:
        return find_turn_id(event["requestPayload"])
    for pattern, text in ((_TURN_IN_PATH, event.get("rawPath")), (_TURN_IN_MESSAGE, event.get("body"))):
        if isinstance(text, str) and (match := pattern.search(text)):
            return match[1]
    turn_id = event.get("turn_id")
    return turn_id if isinstance(turn_id, str) else None
