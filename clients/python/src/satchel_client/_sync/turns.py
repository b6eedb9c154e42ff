"""Sessions and turns: send messages, follow their events, and decide what their tools ask."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from satchel_client._base import UnknownEvent
from satchel_client._protocol import POLL_SECONDS, present, session_path, turn_path
from satchel_client._sync.files import Files, StoredFile
from satchel_client._sync.http import Http
from satchel_client.models import (
    AnsweredInput,
    ApprovalRequest,
    Decision,
    EventPage,
    FinalResponse,
    InputRequested,
    OpenInput,
    SessionOut,
    SessionWithTurns,
    TurnAccepted,
    TurnEvent,
    TurnOut,
)

Event = TurnEvent | UnknownEvent
Attachment = Path | str | StoredFile
"""A file of a message: the path of a local file, which is uploaded, or a stored file or its key."""


class Session:
    """A conversation. Creating the object sends no request."""

    def __init__(self, http: Http, session_id: str) -> None:
        self._http = http
        self._path = session_path(session_id)
        self.session_id = session_id

    def ask(
        self,
        message: str,
        *,
        files: Iterable[Attachment] = (),
        tools: Iterable[str] = (),
        idempotency_key: str | None = None,
    ) -> "Turn":
        """Send a message and return its turn, which runs on the server. ``tools`` limits the tools that may be called.

        A second request with the same ``idempotency_key`` returns the same turn.
        """
        keys = [self._attach(each) for each in files]
        body = present(message=message, files=keys or None, tools=list(tools) or None)
        accepted = self._http.request(
            TurnAccepted, "POST", f"{self._path}/turns", json=body, idempotency_key=idempotency_key
        )
        return Turn(self._http, self.session_id, accepted.turn_id)

    def _attach(self, file: Attachment) -> str:
        if isinstance(file, Path):
            return (Files(self._http).upload(file, session_id=self.session_id)).file_key
        return file if isinstance(file, str) else file.file_key

    def turn(self, turn_id: str, *, after: int = 0) -> "Turn":
        """Return a turn of this session, to follow it from a cursor."""
        return Turn(self._http, self.session_id, turn_id, after)

    def read(self) -> SessionOut:
        """Return the session's settings and status."""
        return self._http.request(SessionOut, "GET", self._path, params={"limit": "1"})

    def turns(self) -> Iterator[TurnOut]:
        """Yield the session's turns, oldest first."""
        for page in self._http.pages(SessionWithTurns, self._path):
            for turn in page.turns:
                yield turn

    def change(self, **fields: str | None) -> SessionOut:
        """Change ``title``, ``model`` or ``instructions``; None restores the default."""
        return self._http.request(SessionOut, "PATCH", self._path, json=fields)

    def end(self) -> None:
        """End the session: its links stop working and its temporary files are deleted."""
        self._http.send("DELETE", self._path)


class Turn:
    """A turn, which answers one message. Iterate over it to follow its events to the end.

    Every event is yielded once. ``cursor`` is the number of the last one: a second iteration, or
    ``session.turn(turn_id, after=cursor)`` in another process, continues after it.
    """

    def __init__(self, http: Http, session_id: str, turn_id: str, after: int = 0) -> None:
        self._http = http
        self._path = turn_path(session_id, turn_id)
        self.session_id, self.turn_id = session_id, turn_id
        self.cursor = after
        self.url = http.base + self._path

    def __iter__(self) -> Iterator[Event]:
        """Yield the events after ``cursor``. A broken connection loses none: the next request names the cursor."""
        is_done = False
        while not is_done:
            params = {"after": self.cursor, "wait": POLL_SECONDS}
            page = self._http.request(EventPage, "GET", f"{self._path}/events", params=params)
            for event in page.events:
                self.cursor = event.seq
                yield event
            is_done = page.done

    def wait(self) -> FinalResponse:
        """Wait for the end of the turn and return its response."""
        for _event in self:
            pass
        return self.response()

    def response(self) -> FinalResponse:
        """Return the response with new download links; while the turn runs, the results so far."""
        return self._http.request(FinalResponse, "GET", self._path)

    def cancel(self) -> FinalResponse:
        """Cancel the turn and stop its tools. Return its response."""
        return self._http.request(FinalResponse, "DELETE", self._path)

    def approval(self, call_id: str) -> ApprovalRequest:
        """Return the call that needs approval, with the arguments to show to the user."""
        return self._http.request(ApprovalRequest, "GET", self._call_path(call_id, "approval"))

    def approve(self, request: ApprovalRequest, *, arguments: Mapping[str, Any] | None = None) -> Decision:
        """Let a call run, with these arguments if they are given. The first decision is final."""
        body = present(approved=True, digest=request.digest, arguments=arguments)
        return self._http.request(Decision, "POST", self._call_path(request.call_id, "approval"), json=body)

    def deny(self, call_id: str, *, reason: str | None = None) -> Decision:
        """Refuse a call. The model reads the reason."""
        body = present(approved=False, reason=reason)
        return self._http.request(Decision, "POST", self._call_path(call_id, "approval"), json=body)

    def answer(
        self,
        question: InputRequested | OpenInput,
        content: Mapping[str, Any] | None = None,
        *,
        action: Literal["accept", "decline", "cancel"] = "accept",
    ) -> AnsweredInput:
        """Answer a tool's question. Raise ApiError with ``fields`` if the content does not fit the form."""
        body = present(input_id=question.input_id, action=action, content=content)
        return self._http.request(AnsweredInput, "POST", self._call_path(question.call_id, "input"), json=body)

    def _call_path(self, call_id: str, name: str) -> str:
        return f"{self._path}/calls/{quote(call_id, safe='')}/{name}"
