"""The messages of clients to the WebSocket, and the responses to them (docs/asyncapi.json, docs/events.md).

``event_schemas`` has the messages with events.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Id = Annotated[str, Field(max_length=100)]


class SubscribeMessage(BaseModel):
    """Ask for the turn's events after the cursor ``after``, including all future events."""

    action: Literal["subscribe"]
    session_id: Id
    turn_id: Id
    after: Annotated[int, Field(ge=0, le=99_999_999)] = 0


class UnsubscribeMessage(BaseModel):
    """Ask for no more events of the turn."""

    action: Literal["unsubscribe"]
    turn_id: Id


class PingMessage(BaseModel):
    """Keep the connection open. API Gateway closes a connection after ten minutes without messages."""

    action: Literal["ping"]


ClientMessage = Annotated[SubscribeMessage | UnsubscribeMessage | PingMessage, Field(discriminator="action")]


class Subscribed(BaseModel):
    """The connection gets the turn's events after ``after`` from now on."""

    type: Literal["subscribed"] = "subscribed"
    turn_id: str
    after: int


class Unsubscribed(BaseModel):
    """The connection gets no more events of the turn."""

    type: Literal["unsubscribed"] = "unsubscribed"
    turn_id: str


class Pong(BaseModel):
    """The response to a ping."""

    type: Literal["pong"] = "pong"


class SocketError(BaseModel):
    """A message of the client was refused. Other fields describe the cause, as in the API's error responses."""

    model_config = ConfigDict(extra="allow")

    type: Literal["error"] = "error"
    error_code: str
    message: str


def error_message(code: str, message: str, details: dict[str, Any]) -> SocketError:
    """Return the response to a message that was refused."""
    return SocketError.model_validate({**details, "error_code": code, "message": message})
