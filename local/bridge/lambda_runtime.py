"""A Lambda runtime for ASGI applications whose responses are streamed: AWS's own for Python returns whole responses.

It takes the requests of a function URL from Lambda's runtime API, lets the application answer, and sends each piece of
a response at once (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html). The details that this page
leaves out are those of AWS's runtime for Node (aws-lambda-nodejs-runtime-interface-client).
"""

import asyncio
import base64
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import h11
from mangum.handlers.api_gateway import HTTPGateway
from mangum.types import LambdaConfig
from starlette.types import ASGIApp, Message

_RUNTIME = "/2018-06-01/runtime"
_CONFIG: LambdaConfig = {"api_gateway_base_path": "", "text_mime_types": [], "exclude_headers": []}
_OF_CONNECTION = {b"connection", b"content-length"}
"""Headers of the connection to the client, which is Lambda's."""
_ERROR_TYPE = "Lambda-Runtime-Function-Error-Type"
_ERROR_BODY = "Lambda-Runtime-Function-Error-Body"
_STREAMED = {
    "Content-Type": "application/vnd.awslambda.http-integration-response",
    "Lambda-Runtime-Function-Response-Mode": "streaming",
    "Transfer-Encoding": "chunked",
    "Trailer": f"{_ERROR_TYPE}, {_ERROR_BODY}",
}
_END_OF_HEAD = bytes(8)
_MAX_READ = 1 << 16


class RuntimeApiError(Exception):
    """Lambda refused a request of the runtime."""


@dataclass
class _Exchange:
    """One request to the runtime API, whose body may be sent in pieces, on a connection of its own."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    http: h11.Connection = field(default_factory=lambda: h11.Connection(h11.CLIENT))

    @classmethod
    async def begin(cls, method: str, path: str, headers: Mapping[str, str]) -> "_Exchange":
        address = os.environ["AWS_LAMBDA_RUNTIME_API"]
        host, _, port = address.rpartition(":")
        exchange = cls(*await asyncio.open_connection(host, int(port)))
        all_headers = list({"Host": address, **headers}.items())
        await exchange.send(h11.Request(method=method, target=f"{_RUNTIME}{path}", headers=all_headers))
        return exchange

    async def send(self, event: h11.Event) -> None:
        """Send a part of the request. Raise OSError if the connection is broken."""
        self.writer.write(self.http.send(event) or b"")
        await self.writer.drain()

    async def end(self, trailers: Mapping[str, str] | None = None) -> tuple[Mapping[str, str], bytes]:
        """End the request, and return headers and body of its response. Raise OSError or RuntimeApiError."""
        headers, body = {}, b""
        try:
            await self.send(h11.EndOfMessage(headers=list((trailers or {}).items())))
            while not isinstance(event := self.http.next_event(), h11.EndOfMessage):
                if event is h11.NEED_DATA:
                    self.http.receive_data(await self.reader.read(_MAX_READ))
                elif isinstance(event, h11.Data):
                    body += event.data
                elif isinstance(event, h11.Response):
                    headers = {name.decode(): value.decode() for name, value in event.headers}
                    if event.status_code >= HTTPStatus.BAD_REQUEST:
                        raise RuntimeApiError(f"Lambda's runtime API returned {event.status_code}.")
        except h11.RemoteProtocolError as error:
            raise ConnectionResetError("Lambda closed the connection.") from error
        finally:
            self.writer.close()
        return headers, body


class _Response:
    """The response to one invocation, which the application sends in parts (``send`` of ASGI)."""

    def __init__(self, invocation_id: str, request: HTTPGateway) -> None:
        self._path = f"/invocation/{invocation_id}"
        self._request = request
        self._is_read = False
        self._exchange: _Exchange | None = None
        self._broken = asyncio.Event()

    async def receive(self) -> Message:
        """Return the request's body, then wait until the connection breaks."""
        if self._is_read:
            await self._broken.wait()
            return {"type": "http.disconnect"}
        self._is_read = True
        return {"type": "http.request", "body": self._request.body, "more_body": False}

    async def send(self, message: Message) -> None:
        """Send a part of the response. Parts after a broken connection are lost, as in other ASGI servers."""
        try:
            if message["type"] == "http.response.start":
                headers = [each for each in message["headers"] if each[0].lower() not in _OF_CONNECTION]
                head = self._request({"status": message["status"], "headers": headers, "body": b""})
                prelude = {name: head[name] for name in ("statusCode", "headers", "cookies") if name in head}
                self._exchange = await _Exchange.begin("POST", f"{self._path}/response", _STREAMED)
                await self._exchange.send(h11.Data(data=json.dumps(prelude).encode() + _END_OF_HEAD))
            elif self._exchange and message.get("body"):
                await self._exchange.send(h11.Data(data=message["body"]))
        except OSError:
            self._broken.set()

    async def end(self, error: Exception | None = None) -> None:
        """End the response. An error after its start follows the body as trailers."""
        if self._exchange and error:
            kind, body = _describe(error)
            await self._exchange.end({_ERROR_TYPE: kind, _ERROR_BODY: base64.b64encode(body).decode()})
        elif self._exchange:
            await self._exchange.end()
        else:
            await _report(f"{self._path}/error", error or RuntimeError("The application sent no response."))


def _describe(error: Exception) -> tuple[str, bytes]:
    kind = type(error).__name__
    return kind, json.dumps({"errorType": kind, "errorMessage": str(error), "stackTrace": []}).encode()


async def _report(path: str, error: Exception) -> None:
    kind, body = _describe(error)
    exchange = await _Exchange.begin("POST", path, {_ERROR_TYPE: kind, "Content-Length": str(len(body))})
    await exchange.send(h11.Data(data=body))
    await exchange.end()


async def _answer_next(app: ASGIApp) -> None:
    """Wait for the next request and answer it."""
    headers, body = await (await _Exchange.begin("GET", "/invocation/next", {})).end()
    context: Any = {}  # mangum only hands it on
    request = HTTPGateway(json.loads(body), context, _CONFIG)
    response = _Response(headers["lambda-runtime-aws-request-id"], request)
    failure = None
    try:
        await app(request.scope, response.receive, response.send)
    except Exception as error:  # noqa: BLE001  (one failed request must not end the process)
        traceback.print_exc()
        failure = error
    try:
        await response.end(failure)
    except (OSError, RuntimeApiError) as error:
        sys.stderr.write(f"The response was not sent to its end: {error}\n")


async def serve(load: Callable[[], ASGIApp]) -> None:
    """Answer requests until Lambda ends the process. Report an application that cannot be loaded, and raise its error.

    ``load`` imports what takes time, so that its failure can be reported. Lambda allows ten seconds for it.
    """
    try:
        app = load()
    except Exception as error:
        await _report("/init/error", error)
        raise
    while True:
        await _answer_next(app)
