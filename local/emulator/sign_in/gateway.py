"""ASGI middleware of password mode: sign-in, sign-out, and the session of each request. It replaces ``KeyCheck``.

A browser sends its session in a cookie, and pages of other sites can make it send requests. So a cookie counts only in
a request with the header ``X-Satchel-Client``, which no form can send and for which browsers ask the server first; the
server never agrees. The cookie is also SameSite=Strict, and ``HostAndOriginCheck`` refuses the pages of other origins.
Other clients send the session as a bearer token, which no browser sends by itself. The API itself verifies
personal tokens.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose, WebSocketDisconnect

from local.emulator.sign_in.accounts import Accounts
from local.emulator.sign_in.passwords import MAX_CHARS
from local.emulator.sign_in.sessions import Sessions
from local.emulator.sign_in.throttle import Throttle
from satchel.domain.errors import NotAllowed
from satchel.domain.users import Identity
from satchel.entrypoints.http.body_limit import BodyLimit
from satchel.entrypoints.http.personal_tokens import personal_token
from satchel.entrypoints.http.problems import BodyTooLarge, problem_response
from satchel.entrypoints.http.public_paths import is_public

SIGN_IN_PATH = "/auth/sign-in"
SIGN_OUT_PATH = "/auth/sign-out"
CLIENT_HEADER = "x-satchel-client"

_IDENTITY = "satchel.identity"  # the key in the ASGI scope
_MAX_BODY_BYTES = 16 << 10
_PARALLEL_HASHES = 2  # each takes 64 MiB and a processor
_POLICY_VIOLATION = 1008  # the close code of a WebSocket whose session has ended
_NOT_SIGNED_IN = "You are not signed in. Sign in on the page, or with `satchel sign-in`."

Handler = Callable[[Request], Awaitable[Response]]


def identity_from_session(request: Request) -> Identity:
    """Return the user of the request's session, which ``PasswordGateway`` has checked."""
    identity = request.scope.get(_IDENTITY)
    if not isinstance(identity, Identity):
        raise NotAllowed("You are not signed in.")
    return identity


@dataclass(frozen=True)
class Cookie:
    """The session's cookie. ``secure``: users reach the server by https, and browsers send the cookie only there."""

    secure: bool
    max_seconds: int

    @property
    def name(self) -> str:
        """Return the name. With the prefix ``__Host-``, browsers refuse a cookie that another host name has set."""
        return "__Host-satchel-session" if self.secure else "satchel-session"

    def set(self, response: Response, session: str) -> None:
        """Send a new session to the browser."""
        response.set_cookie(
            self.name, session, max_age=self.max_seconds, path="/", secure=self.secure, httponly=True, samesite="strict"
        )

    def clear(self, response: Response) -> None:
        """Let the browser delete the cookie."""
        response.delete_cookie(self.name, path="/", secure=self.secure, httponly=True, samesite="strict")


class _Credentials(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    user: str = Field(max_length=64)
    password: str = Field(max_length=MAX_CHARS)


class PasswordGateway:
    """ASGI middleware that lets requests with a session reach the API, as the user of the session.

    The API takes the user from ``identity_from_session``, never from a header of the request.
    """

    def __init__(
        self, app: ASGIApp, accounts: Accounts, sessions: Sessions, throttle: Throttle, cookie: Cookie
    ) -> None:
        self._app = app
        self._accounts = accounts
        self._sessions = sessions
        self._throttle = throttle
        self._cookie = cookie
        self._routes: dict[str, Handler] = {SIGN_IN_PATH: self._sign_in, SIGN_OUT_PATH: self._sign_out}
        self._limited = BodyLimit(self._handle, _MAX_BODY_BYTES)
        self._hashes = ThreadPoolExecutor(_PARALLEL_HASHES, thread_name_prefix="sign-in")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the routes of sign-in and sign-out. Forward other requests that are public or have a session."""
        if scope["type"] == "websocket":
            await self._serve_websocket(scope, receive, send)
        elif scope["type"] != "http" or is_public(scope):
            await self._app(scope, receive, send)
        elif scope["path"] in self._routes:
            await self._limited(scope, receive, send)
        else:
            await self._serve_api(scope, receive, send)

    async def _serve_api(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = HTTPConnection(scope)
        if self._lacks_client_header(request):
            await _no_client_header()(scope, receive, send)
            return
        if personal_token(scope):
            await self._app(scope, receive, send)
            return
        session = self._session(request)
        identity = self._sessions.find(session) if session else None
        if identity is None:
            response = problem_response(401, "E_UNAUTHORIZED", _NOT_SIGNED_IN)
            response.headers["WWW-Authenticate"] = "Bearer"
            await response(scope, receive, send)
            return
        await self._app({**scope, _IDENTITY: identity}, receive, send)

    def _lacks_client_header(self, request: HTTPConnection) -> bool:
        """Return True if a page of another site can have caused the request: it has the cookie, but not the header."""
        return self._cookie.name in request.cookies and CLIENT_HEADER not in request.headers

    def _session(self, request: HTTPConnection) -> str | None:
        values = request.headers.getlist("authorization")
        if not values:
            return request.cookies.get(self._cookie.name)
        scheme, _, token = values[0].partition(" ")
        return token.strip() if len(values) == 1 and scheme.lower() == "bearer" else None

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.method != "POST":
            response: Response = problem_response(405, "E_METHOD_NOT_ALLOWED", "Send a POST request.")
            response.headers["Allow"] = "POST"
        elif CLIENT_HEADER not in request.headers:
            response = _no_client_header()
        else:
            try:
                response = await self._routes[request.url.path](request)
            except sqlite3.OperationalError as error:
                response = problem_response(503, "E_UNAVAILABLE", f"The sessions cannot be stored: {error}.")
        response.headers["Cache-Control"] = "no-store"
        await response(scope, receive, send)

    async def _sign_in(self, request: Request) -> Response:
        media_type, _, _ = request.headers.get("content-type", "").partition(";")
        if media_type.strip().lower() != "application/json":
            return problem_response(415, "E_INVALID_REQUEST", "Send the name and the password as application/json.")
        try:
            credentials = _Credentials.model_validate_json(await request.body())
        except ValidationError:
            return problem_response(422, "E_INVALID_REQUEST", 'Send {"user": "…", "password": "…"}.')
        except BodyTooLarge as error:
            return error.response()
        name, address = credentials.user.lower(), request.client.host if request.client else ""
        if seconds := self._throttle.begin(name, address):
            response = problem_response(
                429, "E_TOO_MANY_ATTEMPTS", f"Too many attempts to sign in. Try again in {seconds} seconds."
            )
            response.headers["Retry-After"] = str(seconds)
            return response
        loop = asyncio.get_running_loop()
        session = await loop.run_in_executor(self._hashes, self._open_session, name, credentials.password)
        if session is None:
            return problem_response(401, "E_SIGN_IN_FAILED", "The name or the password is wrong.")
        self._throttle.succeed(name, address)
        if previous := request.cookies.get(self._cookie.name):
            self._sessions.end(previous)
        response = JSONResponse({"user": name})
        self._cookie.set(response, session)
        return response

    def _open_session(self, name: str, password: str) -> str | None:
        """Return the id of a new session, or None. Takes the same time for an unknown name and a wrong password."""
        account = self._accounts.find(name)
        is_right = self._accounts.passwords.verify(account.password if account else None, password)
        return self._sessions.create(account) if account and is_right else None

    async def _sign_out(self, request: Request) -> Response:
        if session := self._session(request):
            self._sessions.end(session)
        response = Response(status_code=204)
        self._cookie.clear(response)
        return response

    async def _serve_websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a connection as long as its session lives.

        Browsers cannot send the client header with it, but always send the origin, which ``HostAndOriginCheck`` checks.
        """
        request = HTTPConnection(scope)
        session = self._session(request)
        has_origin = "origin" in request.headers or "authorization" in request.headers
        if session is None or not has_origin or self._sessions.find(session) is None:
            await WebSocketClose()(scope, receive, send)
            return

        is_closed = False

        async def close_after_the_end() -> bool:
            """Close the connection if its session has ended. Pings of an open page do not prolong the session."""
            nonlocal is_closed
            if not is_closed and self._sessions.find(session, use=False) is None:
                is_closed = True
                await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
            return is_closed

        async def send_while_signed_in(message: Message) -> None:
            if message["type"] == "websocket.send" and await close_after_the_end():
                raise WebSocketDisconnect(_POLICY_VIOLATION)
            await send(message)

        async def receive_while_signed_in() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive" and await close_after_the_end():
                return {"type": "websocket.disconnect", "code": _POLICY_VIOLATION}
            return message

        await self._app(scope, receive_while_signed_in, send_while_signed_in)


def _no_client_header() -> JSONResponse:
    return problem_response(
        403, "E_FORBIDDEN", "A request with the session's cookie needs the header X-Satchel-Client."
    )
