"""Mapping of API Gateway's errors: the connection is gone, or the delivery failed."""

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from satchel.adapters.api_gateway import ApiGatewaySender
from satchel.domain.ids import ConnectionId
from satchel.ports.connections import ConnectionGone, DeliveryFailed


class FakeGateway:
    """Replaces boto3's client. Raises ``error`` if one is given."""

    def __init__(self, error: Exception | None = None) -> None:
        self.requests: list[dict[str, object]] = []
        self._error = error

    def post_to_connection(self, **kwargs: object) -> object:
        self.requests.append(kwargs)
        if self._error:
            raise self._error
        return {}

    def delete_connection(self, **kwargs: object) -> object:
        return self.post_to_connection(**kwargs)


def client_error(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "…"}}, "PostToConnection")


def test_message_is_sent_as_utf8() -> None:
    gateway = FakeGateway()
    ApiGatewaySender(gateway).send(ConnectionId("c="), "grün")
    assert gateway.requests == [{"ConnectionId": "c=", "Data": "grün".encode()}]


def test_send_to_a_closed_connection_raises_connection_gone() -> None:
    with pytest.raises(ConnectionGone):
        ApiGatewaySender(FakeGateway(client_error("GoneException"))).send(ConnectionId("c="), "x")


@pytest.mark.parametrize(
    "error",
    [
        client_error("LimitExceededException"),
        client_error("ForbiddenException"),
        client_error("PayloadTooLargeException"),
        client_error("InternalServerError"),
        EndpointConnectionError(endpoint_url="https://sockets.example"),
    ],
)
def test_other_errors_raise_delivery_failed(error: Exception) -> None:
    with pytest.raises(DeliveryFailed):
        ApiGatewaySender(FakeGateway(error)).send(ConnectionId("c="), "x")


@pytest.mark.parametrize(
    "error",
    [
        None,
        client_error("GoneException"),
        client_error("InternalServerError"),
        EndpointConnectionError(endpoint_url="https://x"),
    ],
)
def test_close_never_raises(error: Exception | None) -> None:
    gateway = FakeGateway(error)
    ApiGatewaySender(gateway).close(ConnectionId("c="))
    assert gateway.requests == [{"ConnectionId": "c="}]
