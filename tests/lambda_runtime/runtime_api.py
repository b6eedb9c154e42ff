"""Lambda's runtime API: an HTTP server from which a function's process takes events, and to which it sends results."""

import base64
import json
import queue
import socket
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_ERROR_TYPE = "Lambda-Runtime-Function-Error-Type"
_PREFIX = "/2018-06-01/runtime"


class FunctionError(Exception):
    """The function raised an exception, or its process could not start. The message is Lambda's error object."""


@dataclass(frozen=True)
class Invocation:
    """An event with the headers that Lambda sends with it, and the future result."""

    event: object
    arn: str
    deadline: float
    """Seconds since 1970."""
    tenant_id: str | None = None
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    result: "Future[Any]" = field(default_factory=Future)
    pieces: "queue.SimpleQueue[bytes | None]" = field(default_factory=queue.SimpleQueue)
    """The pieces of a streamed response as they come. After the last one, None, and ``result`` is set."""
    breaks: threading.Event = field(default_factory=threading.Event)
    """If set, the connection of the streamed response breaks at its next piece."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Return the headers of the response with the event."""
        tenant = {} if self.tenant_id is None else {"Lambda-Runtime-Aws-Tenant-Id": self.tenant_id}
        return {
            "Lambda-Runtime-Aws-Request-Id": self.id,
            "Lambda-Runtime-Deadline-Ms": str(int(self.deadline * 1000)),
            "Lambda-Runtime-Invoked-Function-Arn": self.arn,
            "Lambda-Runtime-Trace-Id": "Root=1-00000000-000000000000000000000000;Parent=0000000000000000;Sampled=0",
            **tenant,
        }


class RuntimeApi(ThreadingHTTPServer):
    """The server for one process. ``init_error`` is set if the process reports that it cannot load the handler.

    If ``refuses`` is set, no request for an event is accepted.
    """

    daemon_threads = True

    def __init__(self, listener: socket.socket) -> None:
        super().__init__(("127.0.0.1", 0), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.server_address = listener.getsockname()
        self.init_error: str | None = None
        self.refuses = False
        self.waiting: queue.SimpleQueue[Invocation | None] = queue.SimpleQueue()
        self.running: dict[str, Invocation] = {}
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def handle_error(self, request: object, client_address: object) -> None:
        """Print nothing: a process that is killed resets its connections."""

    def close(self) -> None:
        """Stop the server."""
        self.waiting.put(None)
        self.shutdown()
        self.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: RuntimeApi

    def do_GET(self) -> None:
        """Answer a request for the next event when there is one."""
        assert self.path == f"{_PREFIX}/invocation/next", self.path
        if self.server.refuses:
            self._answer(HTTPStatus.FORBIDDEN, b"{}", {})
            return
        invocation = self.server.waiting.get()
        if invocation is None:
            self.close_connection = True
            return
        self.server.running[invocation.id] = invocation
        self._answer(HTTPStatus.OK, json.dumps(invocation.event).encode(), invocation.headers)

    def do_POST(self) -> None:
        """Accept a result or an error."""
        if self.headers.get("Lambda-Runtime-Function-Response-Mode") == "streaming":
            self._take_stream()
            return
        length = self.headers.get("Content-Length")
        body = b"".join(self._chunks()) if length is None else self.rfile.read(int(length))
        if self.path == f"{_PREFIX}/init/error":
            self.server.init_error = body.decode()
        else:
            _, _, rest = self.path.partition(f"{_PREFIX}/invocation/")
            id_, _, outcome = rest.partition("/")
            running = self.server.running.pop(id_)
            result, pieces = running.result, running.pieces
            if outcome == "response":
                result.set_result(json.loads(body))
            else:
                result.set_exception(FunctionError(body.decode()))
                pieces.put(None)
        self._answer(HTTPStatus.ACCEPTED, b"{}", {})

    def log_message(self, *_arguments: object) -> None:
        """Log nothing."""

    def _take_stream(self) -> None:
        """Accept a streamed response. Its trailers tell an error after its start."""
        _, _, rest = self.path.partition(f"{_PREFIX}/invocation/")
        running = self.server.running.pop(rest.partition("/")[0])
        assert self.headers["Content-Type"] == "application/vnd.awslambda.http-integration-response"
        trailers: dict[str, str] = {}
        for piece in self._chunks(trailers):
            if running.breaks.is_set():
                self.close_connection = True
                running.result.set_exception(FunctionError("the connection broke"))
                running.pieces.put(None)
                return
            running.pieces.put(piece)
        if _ERROR_TYPE in trailers:
            error = base64.b64decode(trailers["Lambda-Runtime-Function-Error-Body"]).decode()
            running.result.set_exception(FunctionError(error))
        else:
            running.result.set_result(None)
        self._answer(HTTPStatus.ACCEPTED, b"{}", {})
        running.pieces.put(None)

    def _chunks(self, trailers: dict[str, str] | None = None) -> Iterator[bytes]:
        while size := int(self.rfile.readline(), 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        while line := self.rfile.readline().decode().strip():
            name, _, value = line.partition(":")
            if trailers is not None:
                trailers[name] = value.strip()

    def _answer(self, status: HTTPStatus, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Type": "application/json", "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def invocation(event: object, *, arn: str, seconds: float, tenant_id: str | None = None) -> Invocation:
    """Return an invocation that times out after ``seconds``."""
    return Invocation(event, arn, time.time() + seconds, tenant_id)
