"""The DynamoDB clients of calls share one client, and each request is signed with the credentials of its own call."""

import re
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders

from satchel.adapters import clients
from satchel.ports.runners import ScopedCredentials

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def put(client: "DynamoDBClient") -> None:
    client.put_item(TableName="table", Item={"pk": {"S": "a"}})


@pytest.fixture
def signers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Answer all requests, and return the access keys that signed them."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    clients.dynamodb_of_calls.cache_clear()
    signed: list[str] = []

    def answer(request: AWSPreparedRequest, **_: object) -> AWSResponse:
        authorization = request.headers["Authorization"]
        signed.extend(re.findall(r"Credential=(\w+)/", str(authorization)))
        return AWSResponse(request.url, 200, HTTPHeaders(), SimpleNamespace(stream=lambda: [b"{}"]))

    client: Any = clients.dynamodb_of_calls()
    client.meta.events.register("before-send.dynamodb", answer)
    yield signed
    clients.dynamodb_of_calls.cache_clear()


def credentials(key: str) -> ScopedCredentials:
    return ScopedCredentials(access_key_id=key, secret_access_key="secret", session_token="token")


def test_each_client_signs_with_the_credentials_of_its_call(signers: list[str]) -> None:
    first, second = clients.scoped_dynamodb(credentials("first")), clients.scoped_dynamodb(credentials("second"))

    for client in (first, second, first):
        put(client)

    assert signers == ["first", "second", "first"]


def test_threads_of_several_calls_do_not_mix_their_credentials(signers: list[str]) -> None:
    barrier = threading.Barrier(8)

    def send(name: str) -> None:
        client = clients.scoped_dynamodb(credentials(name))
        barrier.wait()
        for _ in range(20):
            put(client)

    threads = [threading.Thread(target=send, args=(f"call{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(signers) == sorted(f"call{number}" for number in range(8) for _ in range(20))


def test_shared_client_sends_nothing_without_the_credentials_of_a_call(signers: list[str]) -> None:
    put(clients.scoped_dynamodb(credentials("call")))

    with pytest.raises(LookupError):
        put(clients.dynamodb_of_calls())

    assert signers == ["call"]
