"""Requests that the calling thread writes to the pipe of a server itself, without the SDK.

The SDK passes each request and each answer through five tasks of the event loop, which takes a third of the client's
time for a warm call. The SDK still does everything else: the handshake, notifications and questions of the server.
"""

import os
import select
import threading
from collections.abc import Callable
from itertools import count
from typing import Any

from mcp import MCPError
from mcp.shared.dispatcher import coerce_request_id
from mcp_types import CONNECTION_CLOSED, ErrorData, RequestId
from pydantic import ValidationError
from pydantic_core import to_json

Answer = dict[str, Any] | MCPError
OnAnswer = Callable[[Answer], None]
OnProgress = Callable[[float, float | None, str | None], None]

_FIRST_ID = 1 << 30  # the SDK counts from 1
_PROGRESS = "notifications/progress"


class DirectRequests:
    """Sends requests from any thread. ``take`` passes on what the server sends for them, on the event loop's thread.

    ``is_alone`` is True while the server has sent nothing else since the last request. Then its answer may overtake
    the messages for the SDK, because there are none.
    """

    def __init__(self) -> None:
        self.sending = threading.Lock()
        """Held while a thread or a task writes to the pipe, because parts of two messages must not mix."""
        self.is_alone = False
        self._guard = threading.Lock()  # held for a system call only, so that the event loop may wait for it
        self._sink: int | None = None
        self._ids = count(_FIRST_ID)
        self._pending: dict[RequestId, tuple[OnAnswer, OnProgress]] = {}

    def open(self, sink: int) -> None:
        """Send the next requests to this pipe, which does not block."""
        self._sink = sink

    def close(self) -> None:
        """Send no more requests, and answer those that are pending with an error."""
        with self._guard:
            self._sink = None
        while self._pending:
            _, (on_answer, _) = self._pending.popitem()
            on_answer(MCPError(code=CONNECTION_CLOSED, message="Connection closed"))

    def send(self, method: str, params: dict[str, Any], on_answer: OnAnswer, on_progress: OnProgress) -> bool:
        """Send a request, or return False if the SDK must send it: if the pipe is in use, full or closed.

        Requests that the kernel may write in parts are left to the SDK as well. Raise ValueError if JSON cannot encode
        the parameters. The functions get the answer and the progress on the event loop's thread.
        """
        number = next(self._ids)
        params["_meta"] = {**params.get("_meta", {}), "progressToken": number}
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        line = to_json(request, inf_nan_mode="null") + b"\n"
        if len(line) > select.PIPE_BUF or not self.sending.acquire(blocking=False):
            return False
        try:
            with self._guard:
                return self._sink is not None and self._write(self._sink, line, number, (on_answer, on_progress))
        finally:
            self.sending.release()

    def _write(self, sink: int, line: bytes, number: int, pending: tuple[OnAnswer, OnProgress]) -> bool:
        self._pending[number] = pending
        self.is_alone = True
        try:
            os.write(sink, line)
        except OSError:
            del self._pending[number]
            return False
        return True

    def expects(self, message: object) -> bool:
        """Return True if a message is an answer to one of these requests, or its progress."""
        return bool(self._pending) and isinstance(message, dict) and self._number(message) in self._pending

    def take(self, message: dict[str, Any]) -> None:
        """Pass on an answer or a progress notification that is expected. Ignore it if it is malformed."""
        number = self._number(message)
        if number is None or number not in self._pending:
            return  # the request has been answered in the meantime
        if "method" in message:
            _report_progress(message["params"], self._pending[number][1])
        elif (answer := _read_answer(message)) is not None:
            on_answer, _ = self._pending.pop(number)
            on_answer(answer)

    def _number(self, message: dict[str, Any]) -> RequestId | None:
        if message.get("jsonrpc") != "2.0":
            return None
        if "method" not in message:
            number = message.get("id")
        elif message["method"] == _PROGRESS and isinstance(message.get("params"), dict):
            number = message["params"].get("progressToken")
        else:
            return None
        return coerce_request_id(number) if isinstance(number, int | str) else None


def _report_progress(params: dict[str, Any], on_progress: OnProgress) -> None:
    progress, total, message = params.get("progress"), params.get("total"), params.get("message")
    if isinstance(progress, int | float) and not isinstance(progress, bool):
        on_progress(
            float(progress),
            float(total) if isinstance(total, int | float) else None,
            message if isinstance(message, str) else None,
        )


def _read_answer(message: dict[str, Any]) -> Answer | None:
    if isinstance(result := message.get("result"), dict):
        return result
    try:
        error = ErrorData.model_validate(message.get("error"), by_name=False)
    except ValidationError:
        return None
    return MCPError(code=error.code, message=error.message, data=error.data)
