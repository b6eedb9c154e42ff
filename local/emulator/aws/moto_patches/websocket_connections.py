"""Make moto deliver posted messages to WebSocket connections, and raise GoneException for closed connections.

Patches ``ApiGatewayManagementApiBackend.post_to_connection`` and ``.delete_connection``. Unpatched moto accepts
messages of any size for any connection id, and only stores them. Without the patch, no message reaches a client, and no
connection is ever reported as gone.
"""

from functools import cache
from typing import Protocol
from urllib.parse import unquote

from moto.apigatewaymanagementapi.models import ApiGatewayManagementApiBackend
from moto.core.exceptions import AWSError

from local.emulator.aws.moto_patches.patching import replace
from satchel.domain.ids import ConnectionId

MAX_MESSAGE_BYTES = 128 << 10
"""API Gateway's limit for one WebSocket message."""


class Connection(Protocol):
    """The server's end of a WebSocket connection. Implementations are thread-safe."""

    def send(self, text: str) -> bool:
        """Send a text message to the client, after all earlier messages. Return False if it cannot be sent."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


_connections: dict[str, Connection] = {}


@cache
def install() -> None:
    """Patch moto so that messages posted to a connection id reach the emulator's WebSocket connection with this id."""
    replace(ApiGatewayManagementApiBackend, "post_to_connection", _post)
    replace(ApiGatewayManagementApiBackend, "delete_connection", _delete)


def register(connection_id: ConnectionId, connection: Connection) -> None:
    """Use ``connection`` to send all messages posted to ``connection_id``, until ``unregister`` is called."""
    _connections[connection_id] = connection


def unregister(connection_id: ConnectionId) -> None:
    """Remove a connection that has ended. Posting a message to its id then raises GoneException."""
    _connections.pop(connection_id, None)


def _post(_self: ApiGatewayManagementApiBackend, data: bytes, connection_id: ConnectionId) -> None:
    if len(data) > MAX_MESSAGE_BYTES:
        raise AWSError("Message too long", "PayloadTooLargeException", 413)
    connection = _connections.get(unquote(connection_id))
    if connection is None or not connection.send(data.decode()):
        raise AWSError("410", "GoneException", 410)


def _delete(_self: ApiGatewayManagementApiBackend, connection_id: ConnectionId) -> None:
    connection = _connections.get(unquote(connection_id))
    if connection is None:
        raise AWSError("410", "GoneException", 410)
    connection.close()
