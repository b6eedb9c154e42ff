"""What a failure of the gateway's means: nobody is there, or try again."""

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from satchel.adapters.api_gateway import ApiGatewaySender
from satchel.ports.connections import ConnectionGone, Undelivered


class FakeGateway:
    """Stands in for boto3's client: fails as it is told to."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.given: list[dict[str, object]] = []
        self._failure = failure

    def post_to_connection(self, **given: object) -> object:
        self.given.append(given)
        if self._failure:
            raise self._failure
        return {}

    def delete_connection(self, **given: object) -> object:
        return self.post_to_connection(**given)


def refusal(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "…"}}, "PostToConnection")


def test_a_message_is_sent_as_utf8() -> None:
    gateway = FakeGateway()
    ApiGatewaySender(gateway).post("c=", "grün")
    assert gateway.given == [{"ConnectionId": "c=", "Data": "grün".encode()}]


def test_a_connection_that_is_gone_is_said_to_be() -> None:
    with pytest.raises(ConnectionGone):
        ApiGatewaySender(FakeGateway(refusal("GoneException"))).post("c=", "x")


@pytest.mark.parametrize(
    "failure",
    [
        refusal("LimitExceededException"),
        refusal("ForbiddenException"),
        refusal("PayloadTooLargeException"),
        refusal("InternalServerError"),
        EndpointConnectionError(endpoint_url="https://sockets.example"),
    ],
)
def test_any_other_failure_may_pass(failure: Exception) -> None:
    with pytest.raises(Undelivered):
        ApiGatewaySender(FakeGateway(failure)).post("c=", "x")


@pytest.mark.parametrize(
    "failure",
    [None, refusal("GoneException"), refusal("InternalServerError"), EndpointConnectionError(endpoint_url="https://x")],
)
def test_ending_a_connection_never_fails(failure: Exception | None) -> None:
    gateway = FakeGateway(failure)
    ApiGatewaySender(gateway).close("c=")
    assert gateway.given == [{"ConnectionId": "c="}]
