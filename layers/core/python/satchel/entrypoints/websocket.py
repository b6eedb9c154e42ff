"""The WebSocket API: handle opened and closed connections, and clients' messages (docs/events.md)."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from satchel.domain.errors import InvalidRequest, NotAllowed, SatchelError
from satchel.domain.ids import ConnectionId, SessionId, TurnId
from satchel.domain.size_limits import truncate
from satchel.use_cases import UseCases

Json = dict[str, Any]
_JSON: TypeAdapter[Json] = TypeAdapter(Json)

_Id = Annotated[str, Field(max_length=100)]
_MAX_REASON_CHARS = 500
_MAX_REPORTED_FIELDS = 5
_FORBIDDEN: Json = {"statusCode": 403}
_OK: Json = {"statusCode": 200}


class SubscribeMessage(BaseModel):
    """A client asks for the turn's events after the cursor ``after``, including all future events."""

    action: Literal["subscribe"]
    session_id: _Id
    turn_id: _Id
    after: Annotated[int, Field(ge=0, le=99_999_999)] = 0


class UnsubscribeMessage(BaseModel):
    """A client no longer wants the turn's events."""

    action: Literal["unsubscribe"]
    turn_id: _Id


class PingMessage(BaseModel):
    """A client keeps its connection open. API Gateway closes a connection after ten minutes without messages."""

    action: Literal["ping"]


Message = SubscribeMessage | UnsubscribeMessage | PingMessage
_MESSAGE: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="action")])


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
            return _to_json(self._handle(connection_id, parse_message(body)))
        except SatchelError as error:
            return _to_json(error.details | {"type": "error", "error_code": error.code, "message": error.message})

    def _handle(self, connection_id: ConnectionId, message: Message) -> Json:
        match message:
            case SubscribeMessage():
                self.subscribe(connection_id, SessionId(message.session_id), TurnId(message.turn_id), message.after)
                return {"type": "subscribed", "turn_id": message.turn_id, "after": message.after}
            case UnsubscribeMessage():
                self.unsubscribe(connection_id, TurnId(message.turn_id))
                return {"type": "unsubscribed", "turn_id": message.turn_id}
            case PingMessage():
                return {"type": "pong"}


def parse_message(body: str | None) -> Message:
    """Parse a client's message. Raise InvalidRequest, which names the invalid fields but not their values."""
    try:
        return _MESSAGE.validate_json(body or "")
    except ValidationError as error:
        problems = error.errors(include_input=False, include_url=False)[:_MAX_REPORTED_FIELDS]
        reason = "; ".join(f"{'.'.join(map(str, each['loc'])) or 'message'}: {each['msg']}" for each in problems)
        raise InvalidRequest(truncate(reason, _MAX_REASON_CHARS)) from error


def _to_json(reply: Json) -> str:
    return _JSON.dump_json(reply).decode()
