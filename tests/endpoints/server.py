"""The endpoint: an HTTP server on a free port that knows by the path which provider it is asked as."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

from tests.endpoints import anthropic, bedrock, openai
from tests.endpoints.acts import Act, Answers, Asked, Decide, Dialect, Refuses

_DIALECTS: dict[str, Dialect] = {
    "/converse-stream": cast("Dialect", bedrock),
    "/v1/chat/completions": cast("Dialect", openai),
    "/v1/messages": cast("Dialect", anthropic),
}
_LONGEST_STUCK = 30.0


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, endpoint: "Endpoint") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.endpoint = endpoint


class Endpoint:
    """``will`` are the next answers, in order; where none is left, ``decide`` decides.

    ``asked`` are the requests so far, ``spoke`` is when the first piece of text of each answer left, ``left`` is set
    when somebody has hung up in the midst of an answer.
    """

    def __init__(self) -> None:
        self.will: list[Act] = []
        self.decide: Decide = lambda _: Answers(["Hello."])
        self.asked: list[Asked] = []
        self.spoke: list[float] = []
        self.left = threading.Event()
        self._server = _Server(self)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def name(self, provider: str) -> str:
        """Return the name of a model of this provider that is served here."""
        model, path = _MODELS[provider]
        return f"{provider}:{model}@{self.url}{path}"

    def act(self, asked: Asked) -> Act:
        self.asked.append(asked)
        return self.will.pop(0) if self.will else self.decide(asked)

    @contextmanager
    def running(self) -> Iterator["Endpoint"]:
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
        """Be silent."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        dialect = next(found for ending, found in _DIALECTS.items() if self.path.partition("?")[0].endswith(ending))
        act = self.server.endpoint.act(Asked(self.path, dict(self.headers), body))
        try:
            if isinstance(act, Refuses):
                self._refuse(dialect, act)
            else:
                self._answer(dialect, act)
        except (BrokenPipeError, ConnectionResetError):
            self.server.endpoint.left.set()
            self.close_connection = True

    def _refuse(self, dialect: Dialect, act: Refuses) -> None:
        failed = dialect.refusal(act.why)
        body = json.dumps(failed.body).encode()
        self.send_response(failed.status)
        headers = {"content-type": "application/json", "content-length": str(len(body))}
        for name, value in {**headers, **failed.headers, **act.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _answer(self, dialect: Dialect, answer: Answers) -> None:
        self._stay(answer.silence)
        self.send_response(200)
        self.send_header("content-type", dialect.content_type)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        spoken = not answer.pieces
        for number, frame in enumerate(dialect.frames(answer)):
            if number == answer.ends_after:
                break
            if number == answer.cut_after:
                self._hang_up()
                return
            self._fail(dialect, answer, number)
            if not spoken and json.dumps(answer.pieces[0])[1:-1].encode() in frame:
                spoken = True
                self.server.endpoint.spoke.append(time.time())
            self._chunk(frame)
            self._stay(answer.pause)
        self._chunk(b"")

    def _fail(self, dialect: Dialect, answer: Answers, number: int) -> None:
        if number == answer.garbled_after:
            self._chunk(dialect.garbage)
        if number == answer.stuck_after:
            self._stay(_LONGEST_STUCK)

    def _stay(self, seconds: float) -> None:
        """Wait, unless the other side hangs up."""
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

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)
