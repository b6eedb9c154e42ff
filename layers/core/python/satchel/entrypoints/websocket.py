"""The WebSocket API: what API Gateway tells of connections, and the messages that come over them (docs/events.md)."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from satchel.domain.errors import InvalidRequest, NotAllowed, SatchelError
from satchel.domain.ids import ConnectionId, SessionId, TurnId
from satchel.domain.size_limits import cut
from satchel.use_cases import UseCases

Json = dict[str, Any]

_Id = Annotated[str, Field(max_length=100)]
_MAX_REASON = 500
_FORBIDDEN: Json = {"statusCode": 403}
_OK: Json = {"statusCode": 200}


class SubscribeMessage(BaseModel):
    """Send the events of a turn behind a cursor, and go on with those that come."""

    action: Literal["subscribe"]
    session_id: _Id
    turn_id: _Id
    after: Annotated[int, Field(ge=0, le=99_999_999)] = 0


class UnsubscribeMessage(BaseModel):
    """Send no more of a turn."""

    action: Literal["unsubscribe"]
    turn_id: _Id


class PingMessage(BaseModel):
    """Say that the connection is in use: one without a word for ten minutes is ended."""

    action: Literal["ping"]


Message = Annotated[SubscribeMessage | UnsubscribeMessage | PingMessage, Field(discriminator="action")]
_MESSAGE: TypeAdapter[SubscribeMessage | UnsubscribeMessage | PingMessage] = TypeAdapter(Message)


class WebSocketRoutes:
    """The routes ``$connect``, ``$disconnect`` and ``$default`` of the WebSocket API."""

    def __init__(self, use_cases: UseCases) -> None:
        self.connect = use_cases.open_connection
        self.forget = use_cases.forget_connection
        self.subscribe = use_cases.subscribe
        self.unsubscribe = use_cases.unsubscribe

    def __call__(self, event: Json) -> Json:
        """Answer one event of API Gateway; a body goes back over the connection."""
        context = event["requestContext"]
        connection_id = ConnectionId(str(context["connectionId"]))
        match context["routeKey"]:
            case "$connect":
                return self._connect(connection_id, event)
            case "$disconnect":
                self.forget(connection_id)
                return _OK
            case _:
                answer = self._answer(connection_id, event.get("body"))
                return _OK | {"body": answer}

    def _connect(self, connection_id: ConnectionId, event: Json) -> Json:
        ticket = (event.get("queryStringParameters") or {}).get("ticket")
        headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
        try:
            self.connect(connection_id, ticket, headers.get("origin"))
        except NotAllowed:
            return _FORBIDDEN
        return _OK

    def _answer(self, connection_id: ConnectionId, body: str | None) -> str:
        try:
            message = _read(body)
            return _text(self._do(connection_id, message))
        except SatchelError as error:
            return _text(error.details | {"type": "error", "error_code": error.code, "message": error.message})

    def _do(self, connection_id: ConnectionId, message: SubscribeMessage | UnsubscribeMessage | PingMessage) -> Json:
        match message:
            case SubscribeMessage():
                self.subscribe(connection_id, SessionId(message.session_id), TurnId(message.turn_id), message.after)
                return {"type": "subscribed", "turn_id": message.turn_id, "after": message.after}
            case UnsubscribeMessage():
                self.unsubscribe(connection_id, TurnId(message.turn_id))
                return {"type": "unsubscribed", "turn_id": message.turn_id}
            case PingMessage():
                return {"type": "pong"}


def _read(body: str | None) -> SubscribeMessage | UnsubscribeMessage | PingMessage:
    """Read a message. Raises InvalidRequest that names the fields, and does not repeat what was sent."""
    try:
        return _MESSAGE.validate_json(body or "")
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)
        said = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'message'}: {one['msg']}" for one in found[:5])
        raise InvalidRequest(cut(said, _MAX_REASON)) from error


_JSON: TypeAdapter[Json] = TypeAdapter(Json)


def _text(answer: Json) -> str:
    return _JSON.dump_json(answer).decode()
