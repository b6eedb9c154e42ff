from collections.abc import Iterator

import pytest

from local.aws.cloud import LocalCloud
from local.aws.seams import connections
from satchel.adapters import clients
from satchel.adapters.api_gateway import GatewayMailbox
from satchel.domain.frames import MOST_BYTES
from satchel.ports.sockets import ConnectionGone, Undelivered

ID = "L0SM9cOFvHcCIhw="


class FakeLine:
    """Implements ``connections.Line``."""

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
def line() -> Iterator[FakeLine]:
    line = FakeLine()
    connections.connect(ID, line)
    yield line
    connections.disconnect(ID)


@pytest.fixture
def mailbox(cloud: LocalCloud) -> GatewayMailbox:
    """The product's own, by real requests that are signed."""
    return GatewayMailbox(clients.socket_api.__wrapped__(cloud.endpoint_url))


def test_messages_arrive_in_order_as_they_were_sent(mailbox: GatewayMailbox, line: FakeLine) -> None:
    for text in ("grün", '{"a": 1}'):
        mailbox.post(ID, text)
    assert line.sent == ["grün", '{"a": 1}']


def test_the_largest_message_of_ours_is_taken_and_one_above_the_limit_is_not(
    mailbox: GatewayMailbox, line: FakeLine
) -> None:
    mailbox.post(ID, "x" * MOST_BYTES)
    with pytest.raises(Undelivered, match="PayloadTooLarge"):
        mailbox.post(ID, "x" * ((128 << 10) + 1))
    assert [len(text) for text in line.sent] == [MOST_BYTES]


def test_an_id_that_nobody_has_is_gone(mailbox: GatewayMailbox) -> None:
    with pytest.raises(ConnectionGone):
        mailbox.post("bm9ib2R5PQ==", "x")


def test_so_is_one_that_takes_no_more(mailbox: GatewayMailbox, line: FakeLine) -> None:
    mailbox.close(ID)
    assert line.closed
    with pytest.raises(ConnectionGone):
        mailbox.post(ID, "x")
    connections.disconnect(ID)
    mailbox.close(ID)
    with pytest.raises(ConnectionGone):
        mailbox.post(ID, "x")
