"""Satchel's HTTP API as the command uses it: one method a route, models out, `CliError`s raised."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx2
from pydantic import BaseModel, ValidationError

from local.cli.errors import AddressError, CutError, RefusedError, StrangeAnswerError, UnreachableError
from local.cli.wire import About, EventPage, Listing, Problem, SessionStarted, StoredFile, TurnStarted
from satchel.domain.responses import FinalResponse

CONNECT_SECONDS = 5.0
SILENCE_SECONDS = 60.0  # above the longest wait the API grants (25 s) and the time a large upload takes to be stored
LOOPBACK = {"127.0.0.1", "localhost", "::1"}

Answer = TypeVar("Answer", bound=BaseModel)


class ApiClient:
    """A person's view of one server at ``base_url``; a context manager.

    ``user`` goes as the local identity header, ``token`` as bearer; both go to the API alone and never along with a
    download, whose link is its own permission and may lead to another host.
    """

    def __init__(
        self,
        base_url: str,
        *,
        user: str | None = None,
        token: str | None = None,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._base = base_url.rstrip("/")
        self._identity: list[tuple[bytes, bytes]] = []  # bytes: the server judges a strange name, not the HTTP library
        if user:
            self._identity.append((b"X-Satchel-User", user.encode()))
        if token:
            self._identity.append((b"Authorization", f"Bearer {token}".encode()))
        self._http = httpx2.Client(
            transport=transport,
            timeout=httpx2.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS),
            trust_env=_host(base_url) not in LOOPBACK,  # a proxy of the company cannot reach this machine's loopback
        )

    def __enter__(self) -> Self:
        """Give the client, ready."""
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        """Close its connections."""
        self._http.close()

    def about(self) -> About:
        """Ask what kind of server this is."""
        return self.ask(About, "GET", "/api/config")

    def tools(self) -> Listing:
        """List the servers and tools that the person may use."""
        return self.ask(Listing, "GET", "/api/tools")

    def start_session(self, model: str | None = None) -> SessionStarted:
        """Start a conversation, with a model of the person's choice or the server's."""
        return self.ask(SessionStarted, "POST", "/api/sessions", json={"model": model} if model else {})

    def choose_model(self, session_id: str, model: str) -> SessionStarted:
        """Have a session go on with another model."""
        return self.ask(SessionStarted, "PATCH", _session(session_id), json={"model": model})

    def upload(self, path: Path, session_id: str | None) -> StoredFile:
        """Send a small file of this machine, into a session or the person's library, in one request."""
        with path.open("rb") as content:
            fields = {"data": {"session_id": session_id or ""}, "files": {"file": (path.name, content)}}
            return self.ask(StoredFile, "POST", "/api/files", **fields)

    def start_turn(
        self, session_id: str, message: str, *, tools: Sequence[str] = (), files: Sequence[str] = ()
    ) -> TurnStarted:
        """Say something. ``tools`` limits what may be called; ``files`` are keys of what the message is about."""
        body: dict[str, Any] = {"message": message}
        if tools:
            body["tools"] = list(tools)
        if files:
            body["files"] = list(files)
        return self.ask(TurnStarted, "POST", f"{_session(session_id)}/turns", json=body)

    def events(self, turn: TurnStarted, *, after: int, wait: int) -> EventPage:
        """Read what happened after a cursor, and wait (seconds) for something to happen if nothing has."""
        return self.ask(EventPage, "GET", f"{_turn(turn)}/events", params={"after": after, "wait": wait})

    def turn(self, turn: TurnStarted) -> FinalResponse:
        """Read what a turn came to; links in it are fresh and short-lived."""
        return self.ask(FinalResponse, "GET", _turn(turn))

    @contextmanager
    def download(self, url: str) -> Iterator[Iterator[bytes]]:
        """Open a link of a response, relative or absolute, and give its bytes piece by piece."""
        with self.open(url) as answer:
            yield answer.iter_bytes()

    @contextmanager
    def open(self, url: str, method: str = "GET", **headers: str) -> Iterator[httpx2.Response]:
        """Open a link and give the answer, its body unread. Raises RefusedError."""
        address = self._base + url if url.startswith("/") else url
        with _told(self._base), self._http.stream(method, address, headers=headers, follow_redirects=True) as answer:
            if answer.status_code >= HTTPStatus.BAD_REQUEST:
                answer.read()
                raise _refusal(answer)
            yield answer

    def address(self, turn: TurnStarted) -> str:
        """Return where a turn can be read."""
        return self._base + _turn(turn)

    def put(self, url: str, content: Iterator[bytes], headers: dict[str, str]) -> None:
        """Send bytes to a presigned address, which may be of another host. Raises RefusedError."""
        with _told(self._base):
            answer = self._http.put(url, content=content, headers=headers)
        if answer.status_code >= HTTPStatus.BAD_REQUEST:
            raise _refusal(answer)

    def ask(self, model: type[Answer], method: str, path: str, **request: Any) -> Answer:  # noqa: ANN401  (httpx2's own keywords)
        """Ask the API for what is such a model."""
        with _told(self._base):
            answer = self._http.request(method, self._base + path, headers=self._identity, **request)
        if answer.status_code >= HTTPStatus.BAD_REQUEST:
            raise _refusal(answer)
        try:
            return model.model_validate_json(answer.content)
        except ValidationError as error:
            raise StrangeAnswerError(f"What answered at {self._base} is not a Satchel server.") from error


def _host(base_url: str) -> str:
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL as error:
        raise AddressError(f"{base_url} is not an address: {error}.") from error
    if url.scheme not in {"http", "https"} or not url.host:
        raise AddressError(f"{base_url} is not an http or https address.")
    return url.host


def _session(session_id: str) -> str:
    return f"/api/sessions/{quote(session_id, safe='')}"


def _turn(turn: TurnStarted) -> str:
    return f"{_session(turn.session_id)}/turns/{quote(turn.turn_id, safe='')}"


@contextmanager
def _told(base: str) -> Iterator[None]:
    """Turn the client library's errors into ours."""
    try:
        yield
    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        raise UnreachableError(f"No server answers at {base} ({error}); `satchel serve` starts one here.") from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise CutError(f"The connection to {base} broke ({error or type(error).__name__}).") from error


def _refusal(answer: httpx2.Response) -> RefusedError:
    try:
        problem = Problem.model_validate_json(answer.content)
    except ValidationError:
        problem = Problem()
    said = problem.detail or problem.title or f"{answer.request.method} {answer.request.url.path} was refused"
    return RefusedError(answer.status_code, said, problem.error_code)
