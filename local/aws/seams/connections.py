"""What is posted to a connection of a WebSocket API arrives at it, and one that is gone is said to be.

Patches ``ApiGatewayManagementApiBackend.post_to_connection`` and ``.delete_connection``. moto takes messages of any
size for any connection, known or not, and keeps them. Without this nothing is pushed, and no connection is ever gone.
"""

from functools import cache
from typing import Protocol
from urllib.parse import unquote

from moto.apigatewaymanagementapi.models import ApiGatewayManagementApiBackend
from moto.core.exceptions import AWSError

from local.aws.seams.patching import replace

MOST_BYTES = 128 << 10
"""Of one message, as API Gateway has it."""


class Line(Protocol):
    """A connection, from any thread."""

    def send(self, text: str) -> bool:
        """Send a message after those before it; False when nobody is there any more."""
        ...

    def close(self) -> None:
        """End it."""
        ...


_lines: dict[str, Line] = {}


@cache
def install() -> None:
    """Patch moto."""
    replace(ApiGatewayManagementApiBackend, "post_to_connection", _post)
    replace(ApiGatewayManagementApiBackend, "delete_connection", _delete)


def connect(connection_id: str, line: Line) -> None:
    """Have messages to this id sent over this line."""
    _lines[connection_id] = line


def disconnect(connection_id: str) -> None:
    """Say that it is gone."""
    _lines.pop(connection_id, None)


def _post(_self: ApiGatewayManagementApiBackend, data: bytes, connection_id: str) -> None:
    if len(data) > MOST_BYTES:
        raise AWSError("Message too long", "PayloadTooLargeException", 413)
    line = _lines.get(unquote(connection_id))
    if line is None or not line.send(data.decode()):
        raise AWSError("410", "GoneException", 410)


def _delete(_self: ApiGatewayManagementApiBackend, connection_id: str) -> None:
    line = _lines.get(unquote(connection_id))
    if line is None:
        raise AWSError("410", "GoneException", 410)
    line.close()
