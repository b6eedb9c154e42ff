"""The client: the entry to the sessions, files and links of one user at one server."""

from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx2
from pydantic import BaseModel

from satchel_client._protocol import RETRY_DELAYS, present
from satchel_client._sync.files import Files
from satchel_client._sync.http import Http
from satchel_client._sync.runtime import Pause, Token, pause
from satchel_client._sync.turns import Session
from satchel_client.models import (
    Config,
    Conversation,
    ConversationTurn,
    LinkOut,
    LinkPage,
    LinksRevoked,
    Me,
    Prompt,
    PromptMessage,
    Prompts,
    SessionOut,
    SessionPage,
    Tools,
    ToolServer,
)

ModelT = TypeVar("ModelT", bound=BaseModel)


class Client:
    """A client of one Satchel server. Use it as a context manager.

    ``token`` is the bearer token, or a function that returns it: it is called for each request, because tokens expire.
    ``user`` is sent in the identity header, which only a server on this machine accepts. Requests are repeated after
    ``retry_delays`` seconds if the connection breaks, or after 429, 502, 503 and 504; a server that never answered is
    not tried again. ``transport`` sends the requests, for example through a proxy, and ``sleep`` waits.
    """

    def __init__(
        self,
        url: str,
        token: Token = None,
        *,
        user: str | None = None,
        retry_delays: Sequence[float] = RETRY_DELAYS,
        transport: httpx2.BaseTransport | None = None,
        sleep: Pause = pause,
    ) -> None:
        """Create the client. Raise InvalidUrl if ``url`` is not an http or https URL."""
        self._http = Http(url, token, user, transport, retry_delays, sleep)
        self.files = Files(self._http)
        self.url = self._http.base

    def __enter__(self) -> Self:
        """Return the client."""
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        """Close the connections."""
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def start_session(
        self,
        *,
        title: str | None = None,
        model: str | None = None,
        instructions: str | None = None,
        temporary: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Session:
        """Start a session. A ``temporary`` one is in no list, and is deleted when it ends or after a day.

        A second request with the same ``idempotency_key`` returns the same session.
        """
        body = present(title=title, model=model, instructions=instructions, temporary=temporary)
        started = self._http.request(SessionOut, "POST", "/api/sessions", json=body, idempotency_key=idempotency_key)
        return self.session(started.session_id)

    def conversation(self, session_id: str) -> Iterator[ConversationTurn]:
        """Yield the turns of a session, oldest first, with their tool calls, files, approvals and questions."""
        for page in self._http.pages(Conversation, f"/api/conversations/{session_id}"):
            for turn in page.turns:
                yield turn

    def import_conversation(
        self,
        turns: Sequence[ConversationTurn | Mapping[str, Any]],
        *,
        title: str | None = None,
        model: str | None = None,
        instructions: str | None = None,
        idempotency_key: str | None = None,
    ) -> Session:
        """Start a session with a history: turns of ``conversation``, or at least a ``message`` for each turn."""
        history = [turn.model_dump(mode="json") if isinstance(turn, BaseModel) else dict(turn) for turn in turns]
        body = present(title=title, model=model, instructions=instructions, turns=history)
        started = self._http.request(
            SessionOut, "POST", "/api/conversations", json=body, idempotency_key=idempotency_key
        )
        return self.session(started.session_id)

    def delete_conversation(self, session_id: str) -> None:
        """Delete a conversation for good. To end a session whose conversation stays readable, end the session."""
        self._http.send("DELETE", f"/api/conversations/{session_id}")

    def session(self, session_id: str) -> Session:
        """Return a session by its id, without a request."""
        return Session(self._http, session_id)

    def sessions(self) -> Iterator[SessionOut]:
        """Yield the user's sessions, newest first."""
        for page in self._http.pages(SessionPage, "/api/sessions"):
            for session in page.sessions:
                yield session

    def links(self, *, file_key: str | None = None) -> Iterator[LinkOut]:
        """Yield the user's valid shared links, newest first."""
        for page in self._http.pages(LinkPage, "/api/links", file_key=file_key):
            for link in page.links:
                yield link

    def revoke_link(self, link_id: str) -> None:
        """Revoke a shared link. It stops working immediately."""
        self._http.send("DELETE", f"/api/links/{link_id}")

    def revoke_links(self) -> int:
        """Revoke all shared links of the user, and return their number."""
        return (self._http.request(LinksRevoked, "DELETE", "/api/links")).revoked

    def me(self) -> Me:
        """Return the signed-in user, with storage and quotas."""
        return self._http.request(Me, "GET", "/api/me")

    def config(self) -> Config:
        """Return the server's configuration for the user."""
        return self._http.request(Config, "GET", "/api/config")

    def servers(self) -> Sequence[ToolServer]:
        """Return the MCP servers with the tools that the user may call."""
        return (self._http.request(Tools, "GET", "/api/tools")).servers

    def prompts(self) -> Sequence[Prompt]:
        """Return the prompts of the MCP servers."""
        return (self._http.request(Prompts, "GET", "/api/prompts")).prompts

    def prompt(self, server: str, name: str, arguments: Mapping[str, str] | None = None) -> PromptMessage:
        """Return the text and the files of a prompt with these arguments."""
        body = {"server": server, "name": name, "arguments": dict(arguments or {})}
        return self._http.request(PromptMessage, "POST", "/api/prompts", json=body)

    def sign_in(self, user: str, password: str) -> str:
        """Sign in at a server with passwords, and return the bearer token for a new client."""
        return self._http.sign_in(user, password)

    def sign_out(self) -> None:
        """End the sign-in whose token this client sends."""
        self._http.sign_out()

    def send(self, method: str, path: str, **options: Any) -> httpx2.Response:  # noqa: ANN401  (keyword arguments of httpx2)
        """Send any request of the API and return its response, also if only its headers matter, such as ``ETag``."""
        return self._http.send(method, path, **options)

    def request(self, model: type[ModelT], method: str, path: str, **options: Any) -> ModelT:  # noqa: ANN401  (keyword arguments of httpx2)
        """Send any request of the API and return its response as a model: for operations without a method here."""
        return self._http.request(model, method, path, **options)
