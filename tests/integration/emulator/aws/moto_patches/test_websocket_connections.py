from collections.abc import Iterator

import pytest

from local.emulator.aws.cloud import LocalCloud
from local.emulator.aws.moto_patches import websocket_connections
from satchel.adapters import clients
from satchel.adapters.api_gateway import ApiGatewaySender
from satchel.domain.connections import MAX_MESSAGE_BYTES
from satchel.domain.ids import ConnectionId
from satchel.ports.connections import ConnectionGone, DeliveryFailed

ID = ConnectionId("L0SM9cOFvHcCIhw=")


class FakeConnection:
    """Implements ``websocket_connections.Connection``."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.closed = False

    def send(self, text: str) -> bool:
        if not self.closed:
            self.sent.append(text)
        return not self.closed

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def connection() -> Iterator[FakeConnection]:
    connection = FakeConnection()
    websocket_connections.register(ID, connection)
    yield connection
    websocket_connections.unregister(ID)


@pytest.fixture
def sender(cloud: LocalCloud) -> ApiGatewaySender:
    """The product's adapter, which sends signed requests to the loopback server."""
    return ApiGatewaySender(clients.socket_api.__wrapped__(cloud.endpoint_url))


def test_messages_arrive_unchanged_and_in_order(sender: ApiGatewaySender, connection: FakeConnection) -> None:
    for text in ("grün", '{"a": 1}'):
        sender.send(ID, text)
    assert connection.sent == ["grün", '{"a": 1}']


def test_message_above_the_limit_is_rejected(sender: ApiGatewaySender, connection: FakeConnection) -> None:
    sender.send(ID, "x" * MAX_MESSAGE_BYTES)
    with pytest.raises(DeliveryFailed, match="PayloadTooLarge"):
        sender.send(ID, "x" * ((128 << 10) + 1))
    assert [len(text) for text in connection.sent] == [MAX_MESSAGE_BYTES]


def test_unknown_connection_is_gone(sender: ApiGatewaySender) -> None:
    with pytest.raises(ConnectionGone):
        sender.send(ConnectionId("bm9ib2R5PQ=="), "x")


def test_closed_connection_is_gone(sender: ApiGatewaySender, connection: FakeConnection) -> None:
    sender.close(ID)
    assert connection.closed
    with pytest.raises(ConnectionGone):
        sender.send(ID, "x")
    websocket_connections.unregister(ID)
    sender.close(ID)
    with pytest.raises(ConnectionGone):
        sender.send(ID, "x")
