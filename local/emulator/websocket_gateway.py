"""Emulate API Gateway's WebSocket API: invoke a Lambda function for every connection, message and disconnection."""

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

from local.emulator.aws.lambda_host import InvocationResult
from local.emulator.aws.moto_patches import websocket_connections
from satchel.domain.ids import ConnectionId

PATH = "/ws"
Event = Mapping[str, object]
Response = dict[str, Any]

_MAX_QUEUED_MESSAGES = 1000  # maximum per connection; a client that falls further behind is disconnected
_GOING_AWAY = 1001
_OK = 200
_ERROR_FIELDS = ("connectionId", "requestId")


class WebSocketGateway:
    """ASGI middleware that serves WebSockets. ``invoke`` calls the Lambda function with an API Gateway event."""

    def __init__(self, app: ASGIApp, invoke: Callable[[Event], InvocationResult]) -> None:
        self._app = app
        self._invoke = invoke

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve WebSocket connections, and forward all other requests to the API."""
        if scope["type"] == "websocket" and scope["path"] == PATH:
            await self._serve(WebSocket(scope, receive, send))
        else:
            await self._app(scope, receive, send)

    async def _serve(self, socket: WebSocket) -> None:
        connection_id = ConnectionId(f"{secrets.token_urlsafe(11)}=")
        query, headers = dict(socket.query_params) or None, dict(socket.headers)
        response = await self._request("$connect", connection_id, queryStringParameters=query, headers=headers)
        if response.get("statusCode") != _OK:
            await socket.close()  # closed before the connection is accepted, so the client gets a 403
            return
        outbox = _Outbox()
        websocket_connections.register(connection_id, outbox)
        try:
            await socket.accept()
            await self._exchange(socket, outbox, connection_id)
        finally:
            websocket_connections.unregister(connection_id)
            await self._request("$disconnect", connection_id)

    async def _exchange(self, socket: WebSocket, outbox: "_Outbox", connection_id: ConnectionId) -> None:
        """Send and receive messages until either sending or receiving ends."""
        tasks = {
            asyncio.create_task(outbox.deliver(socket)),
            asyncio.create_task(self._receive(socket, outbox, connection_id)),
        }
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _receive(self, socket: WebSocket, outbox: "_Outbox", connection_id: ConnectionId) -> None:
        while True:
            message = await socket.receive()
            if message["type"] != "websocket.receive":
                return
            text, binary = message.get("text"), message.get("bytes") or b""
            body = base64.b64encode(binary).decode() if text is None else text
            response = await self._request("$default", connection_id, body=body, isBase64Encoded=text is None)
            if response.get("body"):
                outbox.send(response["body"])

    async def _request(self, route: str, connection_id: ConnectionId, **fields: object) -> Response:
        context = {"routeKey": route, "connectionId": connection_id, "requestId": secrets.token_hex(8)}
        result = await run_in_threadpool(self._invoke, {"requestContext": context, **fields})
        if result.failed:
            error = {"message": "Internal server error", **{name: context[name] for name in _ERROR_FIELDS}}
            return {"statusCode": 500, "body": json.dumps(error)}
        response: Response = json.loads(result.payload)
        return response


class _Outbox:
    """Queue of messages to send over one WebSocket connection. Implements ``websocket_connections.Connection``."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._count = 0
        self._lock = threading.Lock()

    def send(self, text: str) -> bool:
        """Queue a message, or close the connection if the queue is full. Return False if the message is not queued."""
        with self._lock:
            if self._count >= _MAX_QUEUED_MESSAGES:
                self._put(None)
                return False
            self._count += 1
            return self._put(text)

    def close(self) -> None:
        """Close the connection after the queued messages are sent."""
        self._put(None)

    def _put(self, text: str | None) -> bool:
        try:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, text)
        except RuntimeError:  # the event loop is closed, because the server has stopped
            return False
        return True

    async def deliver(self, socket: WebSocket) -> None:
        """Send queued messages until ``close`` is called or the client disconnects."""
        try:
            while (text := await self._queue.get()) is not None:
                await socket.send_text(text)
                with self._lock:
                    self._count -= 1
            await socket.close(_GOING_AWAY)
        except WebSocketDisconnect:
            return
