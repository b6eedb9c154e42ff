"""Sends messages to WebSocket clients through API Gateway."""

from dataclasses import dataclass
from typing import Protocol

from botocore.exceptions import BotoCoreError, ClientError

from satchel.domain.ids import ConnectionId
from satchel.ports.connections import ConnectionGone, DeliveryFailed

_GONE_CODE = "GoneException"


class _Client(Protocol):
    """The methods of boto3's ``apigatewaymanagementapi`` client that ``ApiGatewaySender`` calls."""

    def post_to_connection(self, **kwargs: object) -> object: ...

    def delete_connection(self, **kwargs: object) -> object: ...


@dataclass(frozen=True)
class ApiGatewaySender:
    """Send WebSocket messages to clients. Implements ``ports.connections.ConnectionSender``."""

    client: _Client

    def send(self, connection_id: ConnectionId, text: str) -> None:
        """Send a message. Raise ConnectionGone if the connection is closed, or DeliveryFailed for any other error."""
        try:
            self.client.post_to_connection(ConnectionId=connection_id, Data=text.encode())
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code == _GONE_CODE:
                raise ConnectionGone from error
            raise DeliveryFailed(code) from error
        except BotoCoreError as error:
            raise DeliveryFailed(type(error).__name__) from error

    def close(self, connection_id: ConnectionId) -> None:
        """Close a connection. Ignore errors, because an unreachable connection times out anyway."""
        try:
            self.client.delete_connection(ConnectionId=connection_id)
        except (ClientError, BotoCoreError):
            return
