"""API Gateway's WebSocket API on one machine: calls the function for every connection, message and end."""

import asyncio
import base64
import json
import secrets
import threading
from collections.abc import Callable, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from local.aws.functions import Outcome
from local.aws.seams import connections

PATH = "/ws"
Event = Mapping[str, object]
Answer = dict[str, Any]

_MOST_WAITING = 1000  # messages for one connection; who takes them more slowly than they come is cut off
_GOING_AWAY = 1001
_OK = 200
_NAMED = ("connectionId", "requestId")


class SocketGateway:
    """ASGI middleware before the API. ``call`` invokes the function with an event as API Gateway makes it."""

    def __init__(self, app: ASGIApp, call: Callable[[Event], Outcome]) -> None:
        self._app = app
        self._call = call

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve connections; all else is the API's."""
        if scope["type"] == "websocket" and scope["path"] == PATH:
            await self._serve(WebSocket(scope, receive, send))
        else:
            await self._app(scope, receive, send)

    async def _serve(self, socket: WebSocket) -> None:
        connection_id = f"{secrets.token_urlsafe(11)}="
        query, headers = dict(socket.query_params) or None, dict(socket.headers)
        answer = await self._ask("$connect", connection_id, queryStringParameters=query, headers=headers)
        if answer.get("statusCode") != _OK:
            await socket.close()  # before it was accepted: the client sees 403
            return
        line = _Line()
        connections.connect(connection_id, line)
        try:
            await socket.accept()
            await self._talk(socket, line, connection_id)
        finally:
            connections.disconnect(connection_id)
            await self._ask("$disconnect", connection_id)

    async def _talk(self, socket: WebSocket, line: "_Line", connection_id: str) -> None:
        """Go on until one of both directions has ended."""
        ways = {
            asyncio.create_task(line.deliver(socket)),
            asyncio.create_task(self._listen(socket, line, connection_id)),
        }
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    async def _listen(self, socket: WebSocket, line: "_Line", connection_id: str) -> None:
        while True:
            message = await socket.receive()
            if message["type"] != "websocket.receive":
                return
            text, binary = message.get("text"), message.get("bytes") or b""
            body = base64.b64encode(binary).decode() if text is None else text
            answer = await self._ask("$default", connection_id, body=body, isBase64Encoded=text is None)
            if answer.get("body"):
                line.send(answer["body"])

    async def _ask(self, route: str, connection_id: str, **given: object) -> Answer:
        context = {"routeKey": route, "connectionId": connection_id, "requestId": secrets.token_hex(8)}
        outcome = await run_in_threadpool(self._call, {"requestContext": context, **given})
        if outcome.failed:
            failed = {"message": "Internal server error", **{name: context[name] for name in _NAMED}}
            return {"statusCode": 500, "body": json.dumps(failed)}
        answer: Answer = json.loads(outcome.payload)
        return answer


class _Line:
    """What waits to be sent over one connection; implements ``connections.Line``."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self._count = 0
        self._lock = threading.Lock()

    def send(self, text: str) -> bool:
        """Put a message in line; False when the connection has ended, or is ended for its slowness."""
        with self._lock:
            if self._count >= _MOST_WAITING:
                self._put(None)
                return False
            self._count += 1
            return self._put(text)

    def close(self) -> None:
        """End the connection behind what waits."""
        self._put(None)

    def _put(self, text: str | None) -> bool:
        try:
            self._loop.call_soon_threadsafe(self._waiting.put_nowait, text)
        except RuntimeError:  # the server has stopped
            return False
        return True

    async def deliver(self, socket: WebSocket) -> None:
        """Send what comes, until the connection is to end or nobody takes it any more."""
        try:
            while (text := await self._waiting.get()) is not None:
                await socket.send_text(text)
                with self._lock:
                    self._count -= 1
            await socket.close(_GOING_AWAY)
        except WebSocketDisconnect:
            return
