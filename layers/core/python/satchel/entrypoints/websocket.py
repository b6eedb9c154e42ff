"""The WebSocket API: handle opened and closed connections, and clients' messages (docs/events.md)."""

from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from satchel.domain.errors import InvalidRequest, NotAllowed, SatchelError
from satchel.domain.ids import ConnectionId, SessionId, TurnId
from satchel.domain.size_limits import truncate
from satchel.entrypoints.socket_schemas import (
    ClientMessage,
    PingMessage,
    Pong,
    Subscribed,
    SubscribeMessage,
    Unsubscribed,
    UnsubscribeMessage,
    error_message,
)
from satchel.use_cases import UseCases

Json = dict[str, Any]
_Message = SubscribeMessage | UnsubscribeMessage | PingMessage
_MESSAGE: TypeAdapter[_Message] = TypeAdapter(ClientMessage)
_MAX_REASON_CHARS = 500
_MAX_REPORTED_FIELDS = 5
_FORBIDDEN: Json = {"statusCode": 403}
_OK: Json = {"statusCode": 200}


class WebSocketRoutes:
    """Handle the routes ``$connect``, ``$disconnect`` and ``$default`` of the WebSocket API."""

    def __init__(self, use_cases: UseCases) -> None:
        self.connect = use_cases.open_connection
        self.forget = use_cases.forget_connection
        self.subscribe = use_cases.subscribe
        self.unsubscribe = use_cases.unsubscribe

    def __call__(self, event: Json) -> Json:
        """Handle one API Gateway event. API Gateway sends the response's ``body``, if any, to the client."""
        context = event["requestContext"]
        connection_id = ConnectionId(str(context["connectionId"]))
        match context["routeKey"]:
            case "$connect":
                return self._connect(connection_id, event)
            case "$disconnect":
                self.forget(connection_id)
                return _OK
            case _:
                return _OK | {"body": self._reply(connection_id, event.get("body"))}

    def _connect(self, connection_id: ConnectionId, event: Json) -> Json:
        ticket = (event.get("queryStringParameters") or {}).get("ticket")
        headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
        try:
            self.connect(connection_id, ticket, headers.get("origin"))
        except NotAllowed:
            return _FORBIDDEN
        return _OK

    def _reply(self, connection_id: ConnectionId, body: str | None) -> str:
        try:
            return self._handle(connection_id, parse_message(body)).model_dump_json()
        except SatchelError as error:
            return error_message(error.code, error.message, error.details).model_dump_json()

    def _handle(self, connection_id: ConnectionId, message: _Message) -> BaseModel:
        match message:
            case SubscribeMessage():
                self.subscribe(connection_id, SessionId(message.session_id), TurnId(message.turn_id), message.after)
                return Subscribed(turn_id=message.turn_id, after=message.after)
            case UnsubscribeMessage():
                self.unsubscribe(connection_id, TurnId(message.turn_id))
                return Unsubscribed(turn_id=message.turn_id)
            case PingMessage():
                return Pong()


def parse_message(body: str | None) -> _Message:
    """Parse a client's message. Raise InvalidRequest, which names the invalid fields but not their values."""
    try:
        return _MESSAGE.validate_json(body or "")
    except ValidationError as error:
        problems = error.errors(include_input=False, include_url=False)[:_MAX_REPORTED_FIELDS]
        reason = "; ".join(f"{'.'.join(map(str, each['loc'])) or 'message'}: {each['msg']}" for each in problems)
        raise InvalidRequest(truncate(reason, _MAX_REASON_CHARS)) from error
