"""HTTP client of Satchel's API for the commands. Each failed request raises a `CliError`; `retry` repeats requests."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.cookies import SimpleCookie
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote, urlsplit

import httpx2
import typer
from pydantic import BaseModel, ValidationError

from local.cli.errors import (
    ApiError,
    CliError,
    ConnectionLostError,
    ExitCode,
    InvalidUrlError,
    UnexpectedResponseError,
    UnreachableError,
    print_error,
)
from local.cli.schemas import (
    EventPage,
    Problem,
    PromptList,
    PromptListing,
    PromptMessage,
    ServerConfig,
    ServerList,
    SessionStarted,
    StoredFile,
    TurnStarted,
)
from local.local_key import find_key, find_sign_in
from satchel.domain.ids import CallId, FileKey, SessionId, UserName
from satchel.domain.inputs import InputAnswer, InputAnswered
from satchel.domain.responses import FinalResponse

CONNECT_TIMEOUT_SECONDS = 5.0
READ_TIMEOUT_SECONDS = 60.0  # exceeds the API's longest poll (25 s) and the time that storing a large upload takes
RETRY_DELAYS = (0.5, 1, 2, 4, 8)  # seconds between retries; a server can restart within their sum
_HTTP_PORT, _HTTPS_PORT = 80, 443
_CLIENT = (b"X-Satchel-Client", b"cli")  # a server with passwords refuses to sign in clients without it
LOOPBACK = {"127.0.0.1", "localhost", "::1"}

Schema = TypeVar("Schema", bound=BaseModel)
Result = TypeVar("Result")
Sleep = Callable[[float], None]


@dataclass(frozen=True)
class Connection:
    """The server's base URL and the caller's identity. In tests, ``transport`` answers requests instead of a server.

    ``user`` is sent in the identity header, which only a local server accepts. ``token`` is sent as the bearer token.
    """

    url: str
    user: UserName | None = None
    token: str | None = None
    transport: httpx2.BaseTransport | None = None


def find_token(url: str) -> str | None:
    """Return the bearer token for this server: its key if it is on this machine, its sign-in, or SATCHEL_TOKEN.

    Never return the key of this machine's server, or the sign-in at a server, for another server.
    """
    with suppress(ValueError):  # an invalid port; ApiClient reports the invalid URL
        host, port = host_and_port(url)
        key = find_key(port) if host in LOOPBACK else None
        return key or find_sign_in(host, port) or os.environ.get("SATCHEL_TOKEN")
    return None


def host_and_port(url: str) -> tuple[str, int]:
    """Return the host name and the port of a server. Raise ValueError if the port is invalid."""
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or (_HTTPS_PORT if parts.scheme == "https" else _HTTP_PORT)


class ApiClient:
    """HTTP client of one Satchel server. Use it as a context manager.

    The client sends the caller's identity only to the API, never with a download. A download link needs no identity,
    and may lead to another host, which must not receive the token.
    """

    def __init__(self, connection: Connection) -> None:
        """Create the client. Raise InvalidUrlError if the server's URL is not an http or https URL."""
        self._base = connection.url.rstrip("/")
        self._identity: list[tuple[bytes, bytes]] = []  # header values as bytes: httpx2 rejects non-ASCII text
        if connection.user:
            self._identity.append((b"X-Satchel-User", connection.user.encode()))
        if connection.token:
            self._identity.append((b"Authorization", f"Bearer {connection.token}".encode()))
        self._http = httpx2.Client(
            transport=connection.transport,
            timeout=httpx2.Timeout(READ_TIMEOUT_SECONDS, connect=CONNECT_TIMEOUT_SECONDS),
            trust_env=_host(connection.url) not in LOOPBACK,  # ignore proxies: they cannot reach a loopback address
        )

    def __enter__(self) -> Self:
        """Return the client."""
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        """Close the HTTP connections."""
        self._http.close()

    def sign_in(self, user: str, password: str) -> str:
        """Sign in at a server with passwords, and return the bearer token. Raise ApiError if the server refuses."""
        with _translated_errors(self._base):
            response = self._http.post(
                f"{self._base}/auth/sign-in", headers=[_CLIENT], json={"user": user, "password": password}
            )
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            raise _api_error(response)
        cookies = SimpleCookie(response.headers.get("Set-Cookie", "")).values()
        if not cookies:
            raise UnexpectedResponseError(f"The server at {self._base} has no sign-in with passwords.")
        return next(iter(cookies)).value

    def sign_out(self) -> None:
        """End the sign-in whose token this client sends. Raise ApiError if the server refuses."""
        with _translated_errors(self._base):
            response = self._http.post(f"{self._base}/auth/sign-out", headers=[*self._identity, _CLIENT])
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            raise _api_error(response)

    def config(self) -> ServerConfig:
        """Return the server's configuration."""
        return self.request(ServerConfig, "GET", "/api/config")

    def tools(self) -> ServerList:
        """Return the servers and tools that the user can use."""
        return self.request(ServerList, "GET", "/api/tools")

    def prompts(self) -> list[PromptListing]:
        """Return the prompts of the servers that the user can use."""
        return self.request(PromptList, "GET", "/api/prompts").prompts

    def prompt(self, prompt: PromptListing, arguments: Mapping[str, str]) -> PromptMessage:
        """Return the message of a prompt with these arguments."""
        body = {"server": prompt.server, "name": prompt.name, "arguments": dict(arguments)}
        return self.request(PromptMessage, "POST", "/api/prompts", json=body)

    def start_session(self, model: str | None = None) -> SessionStarted:
        """Start a session with this model, or with the server's default."""
        return self.request(SessionStarted, "POST", "/api/sessions", json={"model": model} if model else {})

    def set_model(self, session_id: SessionId, model: str) -> SessionStarted:
        """Change the model of a session."""
        return self.request(SessionStarted, "PATCH", _session_path(session_id), json={"model": model})

    def upload(self, path: Path, session_id: SessionId | None) -> StoredFile:
        """Upload a small local file in one request. If ``session_id`` is None, add the file to My Files only."""
        with path.open("rb") as content:
            fields = {"data": {"session_id": session_id or ""}, "files": {"file": (path.name, content)}}
            return self.request(StoredFile, "POST", "/api/files", **fields)

    def start_turn(
        self, session_id: SessionId, message: str, *, tools: Sequence[str] = (), files: Sequence[FileKey] = ()
    ) -> TurnStarted:
        """Send a message. ``tools`` limits the tools that the model can call; ``files`` are keys of attached files."""
        body: dict[str, Any] = {"message": message}
        if tools:
            body["tools"] = list(tools)
        if files:
            body["files"] = list(files)
        return self.request(TurnStarted, "POST", f"{_session_path(session_id)}/turns", json=body)

    def events(self, turn: TurnStarted, *, after: int, wait: int) -> EventPage:
        """Return a turn's events after a cursor. If there are none yet, the server waits up to ``wait`` seconds."""
        return self.request(EventPage, "GET", f"{_turn_path(turn)}/events", params={"after": after, "wait": wait})

    def turn(self, turn: TurnStarted) -> FinalResponse:
        """Return the response of a turn, with new short-lived download links."""
        return self.request(FinalResponse, "GET", _turn_path(turn))

    def answer(self, turn: TurnStarted, call_id: CallId, answer: InputAnswer) -> InputAnswered:
        """Answer a question of a tool. Raise ApiError with the rejected fields if the answer does not fit the form."""
        path = f"{_turn_path(turn)}/calls/{quote(call_id, safe='')}/input"
        return self.request(InputAnswered, "POST", path, json=answer.model_dump(exclude_none=True))

    def turn_url(self, turn: TurnStarted) -> str:
        """Return the turn's URL, from which other HTTP clients can read the response."""
        return self._base + _turn_path(turn)

    @contextmanager
    def download(self, url: str) -> Iterator[Iterator[bytes]]:
        """Open a relative or absolute download link and yield an iterator over the file's bytes."""
        with self.open(url) as response:
            yield response.iter_bytes()

    @contextmanager
    def open(self, url: str, method: str = "GET", **headers: str) -> Iterator[httpx2.Response]:
        """Request a link and yield the response with its body unread. Raise ApiError if the status is 400 or above."""
        full_url = self._base + url if url.startswith("/") else url
        with (
            _translated_errors(self._base),
            self._http.stream(method, full_url, headers=headers, follow_redirects=True) as response,
        ):
            if response.status_code >= HTTPStatus.BAD_REQUEST:
                response.read()
                raise _api_error(response)
            yield response

    def put(self, url: str, content: Iterator[bytes], headers: dict[str, str]) -> None:
        """Send bytes to a presigned URL, which may be on another host. Raise ApiError if the host refuses them."""
        with _translated_errors(self._base):
            response = self._http.put(url, content=content, headers=headers)
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            raise _api_error(response)

    def request(self, schema: type[Schema], method: str, path: str, **options: Any) -> Schema:  # noqa: ANN401  (keyword arguments of httpx2)
        """Send a request to the API and parse the response. Raise CliError if the request fails."""
        with _translated_errors(self._base):
            response = self._http.request(method, self._base + path, headers=self._identity, **options)
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            raise _api_error(response)
        try:
            return schema.model_validate_json(response.content)
        except ValidationError as error:
            raise UnexpectedResponseError(f"The server at {self._base} is not a Satchel server.") from error


def run_with_client(
    connection: Connection, action: Callable[[ApiClient], ExitCode], *, interrupt_hint: str = ""
) -> ExitCode:
    """Call ``action`` with a client and return the action's exit code. Print a CliError as one line.

    After Ctrl-C, print that the command was interrupted, and ``interrupt_hint`` on a second line.
    """
    try:
        with ApiClient(connection) as client:
            return action(client)
    except CliError as error:
        print_error(str(error))
        return ExitCode.ERROR
    except KeyboardInterrupt:
        print_error("interrupted")
        if interrupt_hint:
            typer.echo(interrupt_hint, err=True)
        return ExitCode.INTERRUPTED


def retry(request: Callable[[], Result], sleep: Sleep) -> Result:
    """Call ``request`` until it succeeds. After each retryable error, wait for the next delay in `RETRY_DELAYS`.

    Raise the error if it is not retryable, or if no delay is left.
    """
    for delay in RETRY_DELAYS:
        try:
            return request()
        except CliError as error:
            if not error.retryable:
                raise
        sleep(delay)
    return request()


def _host(base_url: str) -> str:
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL as error:
        raise InvalidUrlError(f"{base_url} is not a valid URL: {error}.") from error
    if url.scheme not in {"http", "https"} or not url.host:
        raise InvalidUrlError(f"{base_url} is not an http or https URL.")
    return url.host


def _session_path(session_id: SessionId) -> str:
    return f"/api/sessions/{quote(session_id, safe='')}"


def _turn_path(turn: TurnStarted) -> str:
    return f"{_session_path(turn.session_id)}/turns/{quote(turn.turn_id, safe='')}"


@contextmanager
def _translated_errors(base: str) -> Iterator[None]:
    """Replace the HTTP library's errors with CliErrors."""
    try:
        yield
    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        raise UnreachableError(f"No server answers at {base} ({error}); `satchel serve` starts one here.") from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise ConnectionLostError(f"The connection to {base} broke ({error or type(error).__name__}).") from error


def _api_error(response: httpx2.Response) -> ApiError:
    try:
        problem = Problem.model_validate_json(response.content)
    except ValidationError:
        problem = Problem()
    request = response.request
    detail = problem.detail or problem.title or f"The server refused {request.method} {request.url.path}"
    return ApiError(response.status_code, detail, problem.error_code, problem.errors)
