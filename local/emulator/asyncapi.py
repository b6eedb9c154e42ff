"""Write the AsyncAPI document of the WebSocket and its events (``make asyncapi``).

The schemas are made from the models that validate the messages of clients, and with which tests validate those of the
server. Their descriptions are those of the OpenAPI document.
"""

import json
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

import satchel
from infra.sources import ROOT
from satchel.entrypoints.event_schemas import EventsMessage, TruncatedEvent
from satchel.entrypoints.http.document import complete_schema, subschemas
from satchel.entrypoints.socket_schemas import (
    PingMessage,
    Pong,
    SocketError,
    Subscribed,
    SubscribeMessage,
    Unsubscribed,
    UnsubscribeMessage,
)

Json = dict[str, Any]

DOCUMENT = ROOT / "docs" / "asyncapi.json"
SOCKET_MODELS: dict[str, tuple[type[BaseModel], ...]] = {
    "send": (SubscribeMessage, UnsubscribeMessage, PingMessage),
    "receive": (Subscribed, Unsubscribed, Pong, SocketError, EventsMessage),
}
"""What clients send and receive."""

_OPERATIONS = {
    "send": "What a client asks for.",
    "receive": "The responses, and the events of the turns to which the client has subscribed.",
}
_TEXTS = {
    "action": "What the client wants.",
    "after": "The `seq` of the last event that the client has, from 0.",
    "error_code": "A code that programs can compare.",
    "message": "What was wrong, as a text for users.",
    "truncated": "Always true: the event is too large for a message.",
}
"""The descriptions of properties that the OpenAPI document does not have, or that mean something else there."""

_DESCRIPTION = """The events of turns, pushed over a WebSocket.

- Get the address and a ticket with `POST /api/ws-ticket`. A ticket is valid for a minute and for one connection.
- Subscribe to a turn from a cursor (`after`). The events after it arrive in the order of their `seq`, each once.
- If a connection breaks, open another one and subscribe from the last `seq`.
- Events have the same form as in `GET /api/sessions/{session_id}/turns/{turn_id}/events`, which needs no connection.
"""


def asyncapi_document() -> Json:
    """Return the document."""
    models = [model for each in SOCKET_MODELS.values() for model in each]
    _, definitions = models_json_schema(
        [(model, "serialization") for model in models], ref_template="#/components/schemas/{model}"
    )
    schemas: Json = definitions["$defs"]
    described: list[type[BaseModel]] = [*models, TruncatedEvent]
    for model in described:
        for name in _TEXTS.keys() & model.model_fields.keys():
            schemas[model.__name__]["properties"][name]["description"] = _TEXTS[name]
    sent = {model.__name__ for model in SOCKET_MODELS["send"]}
    for name, schema in schemas.items():
        complete_schema(name, schema, is_response=name not in sent)
        for part in subschemas(schema):
            part.pop("discriminator", None)  # that of AsyncAPI has no mapping; the constants of the models are enough
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Satchel events",
            "version": satchel.__version__,
            "description": _DESCRIPTION,
            "license": {"name": "Apache-2.0"},
            "tags": [{"name": "sockets", "description": "Events of turns over a WebSocket."}],
        },
        "defaultContentType": "application/json",
        "servers": {
            "deployment": {
                "host": "satchel.example.com",
                "protocol": "wss",
                "description": "A deployment. The response of `POST /api/ws-ticket` has the address.",
            }
        },
        "channels": {"events": _channel(models)},
        "operations": {action: _operation(action) for action in SOCKET_MODELS},
        "components": {"messages": {_name(model): _message(model) for model in models}, "schemas": schemas},
    }


def _channel(models: list[type[BaseModel]]) -> Json:
    query = {
        "type": "object",
        "required": ["ticket"],
        "properties": {"ticket": {"type": "string", "description": "The ticket of `POST /api/ws-ticket`."}},
    }
    return {
        "address": "/ws",
        "description": "One connection, for the events of any number of the user's turns.",
        "bindings": {"ws": {"method": "GET", "query": query, "bindingVersion": "0.1.0"}},
        "messages": {_name(model): {"$ref": f"#/components/messages/{_name(model)}"} for model in models},
    }


def _operation(action: str) -> Json:
    """Return an operation from the view of a client: it sends or receives these messages."""
    return {
        "action": action,
        "title": f"Messages that clients {action}",
        "description": _OPERATIONS[action],
        "channel": {"$ref": "#/channels/events"},
        "messages": [{"$ref": f"#/channels/events/messages/{_name(model)}"} for model in SOCKET_MODELS[action]],
    }


def _message(model: type[BaseModel]) -> Json:
    return {
        "name": _name(model),
        "title": model.__name__,
        "summary": (model.__doc__ or "").strip().partition("\n")[0].replace("``", "`"),
        "payload": {"$ref": f"#/components/schemas/{model.__name__}"},
    }


def _name(model: type[BaseModel]) -> str:
    """Return the value of ``action`` or ``type`` of a message."""
    fields = model.model_fields
    annotation: Any = (fields.get("action") or fields["type"]).annotation
    return str(annotation.__args__[0])


if __name__ == "__main__":
    DOCUMENT.write_text(json.dumps(asyncapi_document(), indent=2) + "\n", encoding="utf-8")
