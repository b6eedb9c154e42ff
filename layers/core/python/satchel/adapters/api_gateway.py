"""The way to the connections of a WebSocket API."""

from dataclasses import dataclass
from typing import Protocol

from botocore.exceptions import BotoCoreError, ClientError

from satchel.domain.ids import ConnectionId
from satchel.ports.connections import ConnectionGone, Undelivered

_GONE = "GoneException"


class _Client(Protocol):
    """What is used of boto3's ``apigatewaymanagementapi``."""

    def post_to_connection(self, **given: object) -> object:
        """Send."""

    def delete_connection(self, **given: object) -> object:
        """End."""


@dataclass(frozen=True)
class ApiGatewaySender:
    """Implements ``ports.sockets.ConnectionSender``; the client tries again by itself, a bounded number of times."""

    client: _Client

    def post(self, connection_id: ConnectionId, text: str) -> None:
        """Send one message. Raises ConnectionGone and Undelivered."""
        try:
            self.client.post_to_connection(ConnectionId=connection_id, Data=text.encode())
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code == _GONE:
                raise ConnectionGone from error
            raise Undelivered(code) from error
        except BotoCoreError as error:
            raise Undelivered(type(error).__name__) from error

    def close(self, connection_id: ConnectionId) -> None:
        """End a connection; one that is gone, or cannot be reached, ends by itself."""
        try:
            self.client.delete_connection(ConnectionId=connection_id)
        except (ClientError, BotoCoreError):
            return
