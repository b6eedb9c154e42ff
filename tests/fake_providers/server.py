"""HTTP server on a free port. The path of a request decides whose wire format the response has."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

from tests.fake_providers import anthropic, bedrock, openai
from tests.fake_providers.replies import Answer, ErrorReply, Reply, ReplyFactory, Request, WireFormat

_WIRE_FORMATS: dict[str, WireFormat] = {
    "/converse-stream": cast("WireFormat", bedrock),
    "/v1/chat/completions": cast("WireFormat", openai),
    "/v1/messages": cast("WireFormat", anthropic),
}
_STUCK_SECONDS = 30.0


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, endpoint: "FakeEndpoint") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.endpoint = endpoint


class FakeEndpoint:
    """Fake providers. ``replies`` are the next replies, in order; after them, ``default_reply`` creates each reply.

    ``requests`` are the requests so far. ``first_text_times`` has the time at which the first text of each answer was
    sent. ``client_disconnected`` is set if a client disconnects during an answer.
    """

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.default_reply: ReplyFactory = lambda _: Answer(["Hello."])
        self.requests: list[Request] = []
        self.first_text_times: list[float] = []
        self.client_disconnected = threading.Event()
        self._server = _Server(self)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def model_name(self, provider: str) -> str:
        """Return the full name of this provider's model, including the URL of this server."""
        model, path = _MODELS[provider]
        return f"{provider}:{model}@{self.url}{path}"

    def next_reply(self, request: Request) -> Reply:
        self.requests.append(request)
        return self.replies.pop(0) if self.replies else self.default_reply(request)

    @contextmanager
    def running(self) -> Iterator["FakeEndpoint"]:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()


_MODELS = {
    "bedrock": ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", ""),
    "openai-chat": ("gpt-5-mini", "/v1"),
    "anthropic": ("claude-sonnet-5-5", ""),
}
PROVIDERS = sorted(_MODELS)


class _Handler(BaseHTTPRequestHandler):
    server: "_Server"
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Write no log."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        wire_format = next(
            value for ending, value in _WIRE_FORMATS.items() if self.path.partition("?")[0].endswith(ending)
        )
        reply = self.server.endpoint.next_reply(Request(self.path, dict(self.headers), body))
        try:
            if isinstance(reply, ErrorReply):
                self._send_error(wire_format, reply)
            else:
                self._send_answer(wire_format, reply)
        except (BrokenPipeError, ConnectionResetError):
            self.server.endpoint.client_disconnected.set()
            self.close_connection = True

    def _send_error(self, wire_format: WireFormat, reply: ErrorReply) -> None:
        error = wire_format.http_error(reply.kind)
        body = json.dumps(error.body).encode()
        self.send_response(error.status)
        headers = {"content-type": "application/json", "content-length": str(len(body))}
        for name, value in {**headers, **error.headers, **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _send_answer(self, wire_format: WireFormat, answer: Answer) -> None:
        self._wait(answer.silence)
        self.send_response(200)
        self.send_header("content-type", wire_format.content_type)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        text_sent = not answer.pieces
        for number, frame in enumerate(wire_format.frames(answer)):
            if number == answer.ends_after:
                break
            if number == answer.cut_after:
                self._disconnect()
                return
            self._inject_fault(wire_format, answer, number)
            if not text_sent and json.dumps(answer.pieces[0])[1:-1].encode() in frame:
                text_sent = True
                self.server.endpoint.first_text_times.append(time.time())
            self._send_chunk(frame)
            self._wait(answer.pause)
        self._send_chunk(b"")

    def _inject_fault(self, wire_format: WireFormat, answer: Answer, number: int) -> None:
        if number == answer.garbled_after:
            self._send_chunk(wire_format.garbage)
        if number == answer.stuck_after:
            self._wait(_STUCK_SECONDS)

    def _wait(self, seconds: float) -> None:
        """Wait. Raise BrokenPipeError if the client disconnects."""
        end = time.monotonic() + seconds
        self.connection.settimeout(0.02)
        try:
            while time.monotonic() < end:
                try:
                    if self.connection.recv(1, socket.MSG_PEEK) == b"":
                        raise BrokenPipeError
                except TimeoutError:
                    continue
        finally:
            self.connection.settimeout(None)

    def _send_chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _disconnect(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)
