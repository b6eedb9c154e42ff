import json
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import boto3
import httpx2
import pytest
from botocore.awsrequest import AWSPreparedRequest
from botocore.exceptions import ClientError, ParamValidationError
from moto.core.models import botocore_stubber
from moto.moto_server.werkzeug_app import DomainDispatcherApplication

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from local.emulator.runners.context import LambdaContext

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

KEYS = {
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "BillingMode": "PAY_PER_REQUEST",
}
ITEM: dict[str, Any] = {
    "pk": {"S": "p"},
    "sk": {"S": "s0"},
    "text": {"S": "Grüße\n\u2028"},
    "number": {"N": "12.50"},
    "nothing": {"NULL": True},
    "map": {"M": {"list": {"L": [{"BOOL": False}, {"N": "1"}]}}},
    "set": {"SS": ["a", "b"]},
}
KEY: dict[str, Any] = {"pk": ITEM["pk"], "sk": ITEM["sk"]}


def key(sk: str) -> dict[str, Any]:
    return {"pk": {"S": "p"}, "sk": {"S": sk}}


def put(item: Mapping[str, Any], **more: object) -> dict[str, Any]:
    return {"Put": {"TableName": "items", "Item": item, **more}}


ABSENT = {"ConditionExpression": "attribute_not_exists(pk)"}
REQUESTS: Sequence[tuple[str, dict[str, Any]]] = [
    ("put_item", {"Item": ITEM}),
    ("get_item", {"Key": KEY, "ConsistentRead": True}),
    ("get_item", {"Key": key("missing")}),
    ("get_item", {"Key": KEY, "ProjectionExpression": "#m, sk", "ExpressionAttributeNames": {"#m": "map"}}),
    ("get_item", {"Key": {"pk": {"S": "p"}}}),
    ("get_item", {"Key": key("")}),
    ("put_item", {"Item": ITEM, **ABSENT}),
    ("put_item", {"Item": ITEM | {"number": {"N": "3"}}, "ReturnValues": "ALL_OLD"}),
    ("put_item", {"Item": {"pk": {"S": "p"}}}),
    ("put_item", {"Item": key("s1") | {"data": {"B": b"\x00\xff"}}}),
    ("get_item", {"Key": key("s1")}),
    (
        "update_item",
        {
            "Key": KEY,
            "UpdateExpression": "SET number = number + :one REMOVE nothing",
            "ConditionExpression": "number = :three",
            "ExpressionAttributeValues": {":one": {"N": "1"}, ":three": {"N": "3"}},
            "ReturnValues": "ALL_NEW",
        },
    ),
    (
        "update_item",
        {
            "Key": KEY,
            "UpdateExpression": "SET number = :one",
            "ConditionExpression": "number = :three",
            "ExpressionAttributeValues": {":one": {"N": "1"}, ":three": {"N": "3"}},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        },
    ),
    ("update_item", {"Key": KEY, "UpdateExpression": "SET SET"}),
    (
        "query",
        {
            "KeyConditionExpression": "pk = :pk AND begins_with(sk, :s)",
            "ExpressionAttributeValues": {":pk": {"S": "p"}, ":s": {"S": "s"}},
            "Limit": 1,
            "ReturnConsumedCapacity": "TOTAL",
        },
    ),
    (
        "query",
        {
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": {"S": "p"}},
            "ExclusiveStartKey": KEY,
            "ScanIndexForward": False,
        },
    ),
    ("query", {"KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {}}),
    ("transact_write_items", {"TransactItems": [put(key("t1"), **ABSENT), put(key("t2"))]}),
    ("transact_write_items", {"TransactItems": [put(key("t3")), put(key("t1"), **ABSENT)]}),
    ("batch_get_item", {"RequestItems": {"items": {"Keys": [KEY, key("t1"), key("t3")], "ConsistentRead": True}}}),
    ("batch_write_item", {"RequestItems": {"items": [{"DeleteRequest": {"Key": key("t1")}}]}}),
    ("delete_item", {"Key": key("t2"), "ReturnValues": "ALL_OLD"}),
    ("delete_item", {"Key": key("t2"), "ConditionExpression": "attribute_exists(pk)"}),
    ("query", {"KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": {"S": "p"}}}),
]


@pytest.fixture
def table(cloud: LocalCloud) -> "DynamoDBClient":
    assert cloud.endpoint_url
    client = boto3.client("dynamodb")
    if "items" in client.list_tables()["TableNames"]:
        client.delete_table(TableName="items")
    resources.create_table("items", KEYS)
    return client


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The bodies of all HTTP requests that moto receives."""
    seen: list[str] = []
    process = botocore_stubber.process_request

    def record(request: AWSPreparedRequest) -> Any:  # noqa: ANN401  (moto's response)
        seen.append(str(request.body))
        return process(request)

    monkeypatch.setattr(botocore_stubber, "process_request", record)
    return seen


def answers(client: "DynamoDBClient") -> list[object]:
    """Send all requests, and return the responses and errors without their metadata."""
    results: list[object] = []
    for operation, parameters in REQUESTS:
        named = {} if operation.startswith(("batch", "transact")) else {"TableName": "items"}
        try:
            response = getattr(client, operation)(**named, **parameters)
        except ClientError as error:
            response = error.response
        results.append({name: value for name, value in response.items() if name != "ResponseMetadata"})
    return results


def test_responses_and_errors_equal_those_over_http(
    table: "DynamoDBClient", messages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    direct = answers(table)
    failed = [request for request, answer in zip(REQUESTS, direct, strict=True) if "Error" in str(answer)]
    assert len(messages) == len(failed) + 1  # the failed requests, and the item with binary data
    table.delete_table(TableName="items")
    resources.create_table("items", KEYS)
    messages.clear()
    monkeypatch.setattr("local.emulator.aws.moto_patches.direct_requests._OPERATIONS", {})
    assert answers(table) == direct
    assert len(messages) == len(REQUESTS)


def test_responses_and_errors_of_other_processes_equal_those_of_moto(
    table: "DynamoDBClient", cloud: LocalCloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[str] = []
    monkeypatch.setattr(DomainDispatcherApplication, "get_application", count_calls(requests))
    remote = boto3.client("dynamodb", endpoint_url=cloud.endpoint_url)
    direct = answers(remote)
    failed = [request for request, answer in zip(REQUESTS, direct, strict=True) if "Error" in str(answer)]
    assert len(requests) == len(failed) + 1  # the failed requests, and the item with binary data
    table.delete_table(TableName="items")
    resources.create_table("items", KEYS)
    requests.clear()
    monkeypatch.setattr("local.emulator.aws.moto_patches.direct_requests._OPERATIONS", {})
    assert answers(remote) == direct
    assert len(requests) == len(REQUESTS)


def count_calls(requests: list[str]) -> Callable[[DomainDispatcherApplication, dict[str, Any]], Any]:
    get_application = DomainDispatcherApplication.get_application

    def count(self: DomainDispatcherApplication, environ: dict[str, Any]) -> Any:  # noqa: ANN401  (a WSGI application)
        requests.append(environ["PATH_INFO"])
        return get_application(self, environ)

    return count


def test_unsigned_request_of_another_process_is_refused(table: "DynamoDBClient", cloud: LocalCloud) -> None:
    del table
    headers = {"X-Amz-Target": "DynamoDB_20120810.GetItem", "Content-Type": "application/x-amz-json-1.0"}
    response = httpx2.post(cloud.endpoint_url, headers=headers, json={"TableName": "items", "Key": KEY}, timeout=60)
    assert response.status_code == 403


@pytest.fixture
def function(cloud: LocalCloud) -> str:
    """Create a function that returns its event and its tenant, and return the function's ARN."""
    assert cloud.endpoint_url

    def handle(event: object, context: LambdaContext) -> object:
        if event == "fail":
            raise ValueError("no")
        return [event, context.tenant_id] if event != "large" else "x" * 7_000_000

    role = resources.create_role(f"role-{uuid4().hex}")
    return resources.create_function(f"echo-{uuid4().hex}", handle, role=role, timeout=60)


INVOCATIONS: Sequence[dict[str, Any]] = [
    {"Payload": b'{"a": "\xc3\xa9"}'},
    {"Payload": b"{}", "TenantId": "user@example.com"},
    {"Payload": b'"fail"'},
    {"Payload": b'"large"'},
    {"InvocationType": "Event", "Payload": b"{}"},
    {"InvocationType": "DryRun", "Payload": b"{}"},
    {"FunctionName": "missing", "Payload": b"{}"},
]


def invocations(function: str) -> list[object]:
    """Send all invocations, and return the responses and errors without their metadata and what differs each time."""
    client = boto3.client("lambda")
    results: list[object] = []
    for parameters in INVOCATIONS:
        response: dict[str, Any]
        try:
            response = {**client.invoke(**{"FunctionName": function, **parameters})}
            response["Payload"] = response["Payload"].read()
        except ClientError as error:
            response = {**error.response}
        payload = response.get("Payload", b"")
        if b"requestId" in payload:
            response["Payload"] = {name: json.loads(payload)[name] for name in ("errorMessage", "errorType")}
        results.append({name: value for name, value in response.items() if name != "ResponseMetadata"})
    return results


def test_invocations_answer_as_over_http(function: str, messages: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    direct = invocations(function)
    assert len(messages) == 1  # the missing function
    messages.clear()
    monkeypatch.setattr("local.emulator.aws.moto_patches.direct_requests._RESPONDERS", {})
    assert invocations(function) == direct
    assert len(messages) == len(INVOCATIONS)


def assume(role: str, name: str) -> dict[str, Any]:
    """Return the response without its metadata, or the error."""
    client = boto3.client("sts")
    try:
        response: dict[str, Any] = {**client.assume_role(RoleArn=role, RoleSessionName=name, DurationSeconds=900)}
    except ClientError as error:
        return {**error.response["Error"]}
    del response["ResponseMetadata"]
    return response


def test_credentials_of_a_role_have_the_form_of_those_over_http(
    cloud: LocalCloud, messages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cloud.endpoint_url
    role = resources.create_role(f"role-{uuid4().hex}")
    messages.clear()
    direct, refused = assume(role, "call"), assume(role, "c" * 65)
    assert len(messages) == 1  # the refused request
    monkeypatch.setattr("local.emulator.aws.moto_patches.direct_requests._RESPONDERS", {})
    over_http = assume(role, "call")
    assert len(messages) == 2
    assert assume(role, "c" * 65) == refused
    assert direct["AssumedRoleUser"] == over_http["AssumedRoleUser"]
    assert direct["PackedPolicySize"] == over_http["PackedPolicySize"]
    credentials, others = direct["Credentials"], over_http["Credentials"]
    assert {name: (type(value), len(str(value))) for name, value in credentials.items()} == {
        name: (type(value), len(str(value))) for name, value in others.items()
    }
    assert timedelta(0) <= others["Expiration"] - credentials["Expiration"] <= timedelta(seconds=5)


def test_changed_response_does_not_change_the_stored_item(table: "DynamoDBClient") -> None:
    item = {**ITEM}
    table.put_item(TableName="items", Item=item)
    read: dict[str, Any] = {**table.get_item(TableName="items", Key=KEY)}
    read["Item"]["map"]["M"].clear()
    found: dict[str, Any] = {
        **table.query(
            TableName="items", KeyConditionExpression="pk = :pk", ExpressionAttributeValues={":pk": {"S": "p"}}
        )
    }
    found["Items"][0]["map"]["M"].clear()
    assert table.get_item(TableName="items", Key=KEY)["Item"] == item


def test_invalid_parameters_are_rejected_before_the_request(table: "DynamoDBClient", messages: list[str]) -> None:
    with pytest.raises(ParamValidationError):
        table.get_item(TableName="items", Key={"pk": "not a typed value"})
    assert messages == []


def test_hooks_before_and_after_each_call_run(table: "DynamoDBClient") -> None:
    events: list[str] = []
    for name in ("before-call", "after-call"):
        table.meta.events.register(f"{name}.dynamodb.GetItem", lambda event_name, **_: events.append(event_name))
    table.get_item(TableName="items", Key=KEY)
    assert events == ["before-call.dynamodb.GetItem", "after-call.dynamodb.GetItem"]


def test_request_to_an_own_endpoint_is_sent_over_http(table: "DynamoDBClient", cloud: LocalCloud) -> None:
    del table
    client = boto3.client("dynamodb", endpoint_url=cloud.endpoint_url)
    paths: list[str] = []
    client.meta.events.register("before-send.dynamodb", lambda request, **_: paths.append(request.url))
    client.put_item(TableName="items", Item=key("s9"))
    assert paths == [f"{cloud.endpoint_url}/"]
