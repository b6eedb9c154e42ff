"""The caller of a request to the bridge: a client with the caller's token, files of messages, and links to files."""

import mimetypes
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from math import inf

import anyio
from starlette.requests import Request

from satchel_client import ApiError, AsyncClient, AsyncTurn, Event, SatchelError
from satchel_client.models import (
    FinalResponse,
    InputAnswered,
    InputRequested,
    ResponseArtifact,
    ResponseDeferred,
    ToolApproval,
    ToolApprovalRequest,
)

_BEARER = "bearer "


@dataclass(frozen=True)
class BridgeSettings:
    """The server, for how long links to files are valid, and for how long a response may take."""

    url: str
    link_seconds: int
    wait_seconds: float = inf
    """A stream ends if the user needs longer than this for a decision."""
    max_seconds: float = inf
    """Every response ends after this time."""


class InvalidRequest(Exception):
    """The request cannot be answered. The message names what is wrong."""


class NotSignedIn(Exception):
    """The request has no bearer token."""


class OutOfTime(Exception):
    """The response must end before the turn does. ``is_waiting``: the turn waits for the user."""

    def __init__(self, page: str, *, is_waiting: bool) -> None:
        super().__init__(f"The turn continues in Satchel: {page}")
        self.is_waiting = is_waiting


@dataclass(frozen=True)
class Link:
    """A shared link to a file of an answer."""

    name: str
    mime: str
    size: int
    file_key: str
    url: str


@dataclass(frozen=True)
class Caller:
    """The person who sent a request, as a client of Satchel."""

    client: AsyncClient
    settings: BridgeSettings
    deadline: float = inf
    """The end of the response at the latest, on the clock of the event loop."""

    def page(self, session_id: str) -> str:
        """Return the address of a session in Satchel's web client."""
        return f"{self.settings.url}/#{session_id}"

    async def follow(self, turn: AsyncTurn) -> AsyncIterator[Event]:
        """Yield the events of a turn. Raise OutOfTime at the limits of the settings; the turn continues."""
        undecided: set[tuple[str, str]] = set()
        decide_by = inf
        events = aiter(turn)
        while True:
            with anyio.CancelScope(deadline=min(self.deadline, decide_by)) as scope:
                event = await anext(events, None)
            if scope.cancelled_caught:
                raise OutOfTime(self.page(turn.session_id), is_waiting=bool(undecided))
            if event is None:
                return
            match event:
                case ToolApprovalRequest() | InputRequested():
                    undecided.add((event.call_id, getattr(event, "input_id", "")))
                    decide_by = min(decide_by, anyio.current_time() + self.settings.wait_seconds)
                case ToolApproval() | InputAnswered():
                    undecided.discard((event.call_id, getattr(event, "input_id", "")))
                    decide_by = decide_by if undecided else inf
            yield event

    async def links(self, response: FinalResponse) -> Sequence[Link]:
        """Return links to the files of an answer. A file that was deleted meanwhile has none."""
        files: list[ResponseArtifact | ResponseDeferred] = [*response.artifacts, *response.deferred_artifacts]
        found = [await self.link(file) for file in files]
        return [link for link in found if link]

    async def link(self, file: ResponseArtifact | ResponseDeferred) -> Link | None:
        """Return a link to a file, valid as long as the settings say. Return None if the file was deleted."""
        try:
            shared = await self.client.files.share(file.file_key, ttl_seconds=self.settings.link_seconds)
        except ApiError as error:
            if error.status == 404:  # noqa: PLR2004  (not found)
                return None
            raise
        return Link(file.name, file.mime, file.size, file.file_key, shared.url)

    async def upload(self, session_id: str, content: str, mime: str, name: str | None, number: int) -> str:
        """Store a file of a message, whose content is base64, and return its key. Raise InvalidRequest."""
        try:
            decoded = b64decode(content, validate=True)
        except Base64Error as error:
            raise InvalidRequest(f"The content of file {number} of the message is not base64: {error}.") from error
        name = name or f"attachment-{number}{mimetypes.guess_extension(mime) or ''}"
        stored = await self.client.files.upload(decoded, name=name, mime=mime, session_id=session_id)
        return stored.file_key


@asynccontextmanager
async def open_caller(request: Request, settings: BridgeSettings) -> AsyncIterator[Caller]:
    """Yield the caller, with the bearer token of the request. Raise NotSignedIn if it has none.

    The name of the user is passed on, too: only a server on this machine accepts it, together with its key.
    """
    token = bearer_token(request)
    async with AsyncClient(settings.url, token, user=request.headers.get("X-Satchel-User")) as client:
        yield Caller(client, settings, anyio.current_time() + settings.max_seconds)


def bearer_token(request: Request) -> str:
    """Return the bearer token of a request. Raise NotSignedIn if it has none."""
    value = request.headers.get("Authorization", "")
    if not value.lower().startswith(_BEARER):
        raise NotSignedIn("Send your own Satchel token as the API key (a bearer token).")
    return value[len(_BEARER) :].strip()


@asynccontextmanager
async def canceled_on_hang_up(turn: AsyncTurn) -> AsyncIterator[None]:
    """Cancel the turn if the caller hangs up within the block."""
    try:
        yield
    except (anyio.get_cancelled_exc_class(), GeneratorExit):
        with anyio.CancelScope(shield=True):
            with suppress(SatchelError):  # the turn ends by itself
                await turn.cancel()
        raise
