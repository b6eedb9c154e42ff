"""The code in the process of a deployed function: the function's own handler, and a log of its AWS requests.

The process is a fork (``local.emulator.runners``) with the environment of the template. Only the paths below ``/opt``
and the address of API Gateway are replaced.
"""

import asyncio
import importlib.util
import json
import os
import threading
import time
import uuid
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

import botocore.client
from urllib3.connection import HTTPConnection

from local.emulator.runners.context import Handler, LambdaContext
from satchel.adapters import clients
from satchel.adapters.emf_metrics import EmfMetrics
from satchel.adapters.llm.offline import OfflineModel
from satchel.adapters.system_clock import SystemClock
from satchel.domain.conversation import CompletionRequest, ModelReply
from satchel.domain.metrics import Metric
from satchel.ports.llm import StreamListener
from satchel.services.calls import dispatch_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CODE = "DEPLOYED_CODE"
"""The variable with the function's code folder."""
CALL_LOG = "DEPLOYED_CALL_LOG"
"""The variable with the path of the call log: one JSON object in each line."""
OPT = "DEPLOYED_OPT"
"""The variable with the folder that replaces ``/opt``."""
SPANS = "DEPLOYED_SPANS"
"""The variable with the path of the file of spans: when each invocation and each of its requests began and ended."""
CLOCK_OFFSET = "DEPLOYED_CLOCK_OFFSET"
"""The variable with the path of a file: the seconds that are added to the clock."""
MODEL_SECONDS = "DEPLOYED_MODEL_SECONDS"
"""The variable with the path of a file: the seconds that the model waits before its first text."""

INVOCATION = "invocation"
"""The service name in the call log for an invocation of the function itself."""
PROCESSOR_TIME = "processor time"
"""The service name in the call log for the processor time of an invocation, in seconds: its parameter ``seconds``."""
FIRST_PIECE = "model.FirstPiece"
"""The name of the span in which a function waits for the model's first text."""
METRIC = "metric"
"""The service name in the call log for a value of a metric. Its parameters are the dimensions."""

_SLOW_REQUESTS = {"sts.AssumeRole": 0.04}
"""The seconds of requests that take longer on AWS than those beside which they are sent.

Otherwise the requests after those would seem to wait for these."""

_TOOL_SECONDS = 40
_ON_LAMBDA = "/opt/"
_PAYLOADS = {"Body", "Payload", "Data", "SecretString"}
_writing, _loading = threading.Lock(), threading.Lock()


def handler(event: object, context: LambdaContext) -> object:
    """Run the function's own handler, as Lambda does, in a thread with an event loop."""
    asyncio.set_event_loop(asyncio.new_event_loop())
    run: Handler = _code().handler
    _log({"service": INVOCATION, "operation": "Invoke", "key_id": "", "params": {}})
    _invocation.name, _invocation.other_seconds = uuid.uuid4().hex, 0.0
    begun, started = time.time(), time.process_time()
    try:
        return run(event, context)
    finally:
        seconds = time.process_time() - started - _invocation.other_seconds
        _log({"service": PROCESSOR_TIME, "operation": "Invoke", "key_id": "", "params": {"seconds": seconds}})
        _log_span(INVOCATION, begun, processor_seconds=seconds)


def shutdown() -> None:
    """Call the function's own ``shutdown``, if it has one."""
    getattr(_code(), "shutdown", lambda: None)()


class _Invocation:
    """The latest invocation. The values of invocations that overlap get mixed, so recordings run one at a time.

    ``other_seconds`` is the processor time that is not a part of the function's: for the logs of this module, and for
    connections, which AWS keeps and moto's server closes after each request.
    """

    name = ""
    other_seconds = 0.0


_invocation = _Invocation()


def _log_span(name: str, began: float, **values: float) -> None:
    span = {"invocation": _invocation.name, "name": name, "began": began, "ended": time.time()}
    _append(os.environ[SPANS], {"processor_seconds": 0, "events": 0, **span, **values})


def _append(path: str, entry: "Mapping[str, Any]") -> None:
    started = time.thread_time()
    with _writing:
        with Path(path).open("a") as file:
            file.write(json.dumps(entry, default=str) + "\n")
        _invocation.other_seconds += time.thread_time() - started


def _count_no_connections() -> None:
    connect = HTTPConnection.connect

    def uncounted(self: HTTPConnection) -> None:
        started = time.thread_time()
        connect(self)
        with _writing:
            _invocation.other_seconds += time.thread_time() - started

    cast("Any", HTTPConnection).connect = uncounted


def _count_events(params: "Mapping[str, Any]") -> int:
    """Return how many events of turns a request puts into the table."""
    puts = [each["Put"] for each in params.get("TransactItems", []) if "Put" in each]
    items = [each["Item"] for each in (params, *puts) if isinstance(each.get("Item"), dict)]
    return sum(str(item.get("sk", {}).get("S", "")).startswith("EVENT#") for item in items)


def _code() -> ModuleType:
    with _loading:  # the first two invocations may arrive at the same time
        return _load_code()


@lru_cache
def _load_code() -> ModuleType:
    for name, value in os.environ.items():
        if name.startswith("SATCHEL_") and value.startswith(_ON_LAMBDA):
            os.environ[name] = str(Path(os.environ[OPT]) / value.removeprefix(_ON_LAMBDA))
    _log_calls()
    _log_request_spans()
    _log_model_spans()
    _log_metrics()
    _count_no_connections()
    _redirect_connections()
    _wait_for_tools()
    _shift_clock(Path(os.environ[CLOCK_OFFSET]))
    spec = importlib.util.spec_from_file_location("handler", Path(os.environ[CODE]) / "handler.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _log(entry: "Mapping[str, Any]") -> None:
    _append(os.environ[CALL_LOG], entry)


def _log_calls() -> None:
    """Log sent and presigned requests. botocore passes the parameters of both to one private method."""
    client = cast("Any", botocore.client.BaseClient)
    emit: Callable[..., Any] = client._emit_api_params  # noqa: SLF001  (no public hook sees both)

    def log_call(self: Any, api_params: Any, operation_model: Any, context: Any) -> Any:  # noqa: ANN401  (botocore's own)
        params = emit(self, api_params, operation_model, context)
        signer = context.get("signing", {}).get("request_credentials") or self._get_credentials()
        entry = {
            "service": operation_model.service_model.service_name,
            "operation": operation_model.name,
            "key_id": signer.access_key,
            "params": {key: value for key, value in api_params.items() if key not in _PAYLOADS},
        }
        _log(entry)
        return params

    client._emit_api_params = log_call  # noqa: SLF001  (the same)


def _log_request_spans() -> None:
    """Log when each request began and ended."""
    client = cast("Any", botocore.client.BaseClient)
    send: Callable[..., Any] = client._make_api_call  # noqa: SLF001  (no public hook sees the whole request)

    def timed(self: Any, operation_name: str, api_params: Any) -> Any:  # noqa: ANN401  (botocore's own)
        began, name = time.time(), f"{self.meta.service_model.service_name}.{operation_name}"
        try:
            return send(self, operation_name, api_params)
        finally:
            time.sleep(_SLOW_REQUESTS.get(name, 0.0))
            _log_span(name, began, events=_count_events(api_params))

    client._make_api_call = timed  # noqa: SLF001  (the same)


class _FirstPiece:
    """A stream listener that logs a span until the model's first text."""

    def __init__(self, listener: StreamListener) -> None:
        self._listener, self._began, self._is_first = listener, time.time(), True

    def __call__(self, text: str) -> None:
        if text:
            self.end()
        self._listener(text)

    def think(self, text: str) -> None:
        self._listener.think(text)

    def end(self) -> None:
        """Log the span, once."""
        if self._is_first:
            _log_span(FIRST_PIECE, self._began)
        self._is_first = False

    def restart(self) -> None:
        self._listener.restart()


def _log_model_spans() -> None:
    """Log for each request to the model a span until its first text, or until its end if it only calls tools."""
    reply = OfflineModel.reply

    def timed(self: OfflineModel, request: CompletionRequest, listener: StreamListener) -> ModelReply:
        first_piece = _FirstPiece(listener)
        time.sleep(float(Path(os.environ[MODEL_SECONDS]).read_text(encoding="utf-8")))
        result = reply(self, request, first_piece)
        first_piece.end()
        return result

    cast("Any", OfflineModel).reply = timed


def _log_metrics() -> None:
    add = EmfMetrics.add

    def log_metric(self: EmfMetrics, metric: Metric, value: float = 1, *dimensions: str) -> None:
        params = dict(zip(metric.dimensions, dimensions, strict=True))
        _log({"service": METRIC, "operation": metric.name, "key_id": "", "params": params})
        add(self, metric, value, *dimensions)

    cast("Any", EmfMetrics).add = log_metric


def _redirect_connections() -> None:
    """Send messages for connections to moto: API Gateway's host name does not exist on this machine."""
    create = clients.socket_api.__wrapped__
    cast("Any", clients).socket_api = lambda _endpoint: create(os.environ["AWS_ENDPOINT_URL"])


def _wait_for_tools() -> None:
    """Let Dispatch wait for tools that a busy machine makes slow. Tools that it does not wait for cost more."""
    dispatch_tool.MAX_WAIT = timedelta(seconds=_TOOL_SECONDS)
    clients.CALL_READ_SECONDS = _TOOL_SECONDS + 2
    cast("Any", clients).MAX_SEND_SECONDS = _TOOL_SECONDS  # a message that a busy machine delays would be sent again


def _shift_clock(file: Path) -> None:
    """Add the offset in the file to the clock, so that data with a lifetime of days expires at once."""

    def now(_self: SystemClock) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=float(file.read_text(encoding="utf-8")))

    cast("Any", SystemClock).now = now
