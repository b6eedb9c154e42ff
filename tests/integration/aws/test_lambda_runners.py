import io
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.exceptions import ClientError
from botocore.response import StreamingBody
from botocore.stub import ANY, Stubber

from satchel.adapters.lambda_functions import LambdaRunners
from satchel.domain.conversation import ToolSpec
from satchel.domain.errors import Unavailable
from satchel.domain.timing import Limits
from satchel.ports.runners import CallOrder, InputFile, ScopedCredentials
from tests.integration.aws.makers import a_call, a_session, a_turn

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

LIST = {
    "FunctionName": "satchel-run-report",
    "InvocationType": "RequestResponse",
    "TenantId": "_satchel",
    "Payload": b'{"action": "list", "server": "report"}',
}


@pytest.fixture
def client() -> "LambdaClient":
    return boto3.client("lambda")


@pytest.fixture
def service(client: "LambdaClient") -> Iterator[Stubber]:
    with Stubber(client) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


@pytest.fixture
def runners(client: "LambdaClient") -> LambdaRunners:
    return LambdaRunners(client, client, "satchel-run-", {"far", "farther"}, "satchel-remote")


def payload(said: object) -> StreamingBody:
    body = json.dumps(said).encode()
    return StreamingBody(io.BytesIO(body), len(body))


def an_order() -> CallOrder:
    call = a_call(a_turn(a_session("ada@example.com")))
    return CallOrder(
        user=call.user,
        session_id=call.session_id,
        turn_id=call.turn_id,
        call_id=call.call_id,
        tool="summarise",
        arguments={"filename": "größe.csv"},
        inputs=[InputFile(name="größe.csv", url="https://example/x", size=3, etag='"e"')],
        writes=True,
        task_token="token",
        credentials=ScopedCredentials(access_key_id="a", secret_access_key="s", session_token="t"),
        outcome_key="ada@example.com/turns/t/outcome.json",
        limits=Limits(),
    )


def test_a_call_is_sent_to_its_server_for_its_person_and_not_waited_for(
    runners: LambdaRunners, service: Stubber
) -> None:
    order = an_order()
    service.add_response(
        "invoke",
        {"StatusCode": 202},
        {
            "FunctionName": "satchel-run-report",
            "InvocationType": "Event",
            "TenantId": "ada@example.com",
            "Payload": json.dumps({"server": "report", **order.model_dump(mode="json")}).encode(),
        },
    )

    runners.start("report", order)


def test_servers_that_are_somewhere_else_share_a_runner_which_is_told_whom_to_ask(
    runners: LambdaRunners, service: Stubber
) -> None:
    for server in ("far", "farther"):
        asked = {"FunctionName": "satchel-remote", "Payload": json.dumps({"action": "list", "server": server}).encode()}
        service.add_response("invoke", {"StatusCode": 200, "Payload": payload({"tools": []})}, {**LIST, **asked})
        assert runners.list_tools(server) == []


def test_what_is_sent_reads_back_as_the_same_order() -> None:
    order = an_order()

    assert CallOrder.model_validate_json(order.model_dump_json()) == order
    assert json.loads(order.model_dump_json())["action"] == "call"


def test_a_call_that_cannot_be_sent_is_an_error(runners: LambdaRunners, service: Stubber) -> None:
    service.add_client_error("invoke", "TooManyRequestsException")

    with pytest.raises(ClientError):
        runners.start("report", an_order())


def test_tools_are_asked_for_in_nobodys_name(runners: LambdaRunners, service: Stubber) -> None:
    tools = [ToolSpec(server="report", name="summarise", description="Grün.", input_schema={"type": "object"})]
    said = {"tools": [tool.model_dump() for tool in tools], "config_hash": "h"}
    service.add_response("invoke", {"StatusCode": 200, "Payload": payload(said)}, LIST)

    assert runners.list_tools("report") == tools


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"errorMessage": "no module named pandas"}, "no module named pandas"),
        ({}, "no reason given"),
    ],
)
def test_a_server_that_does_not_start_is_named_with_what_it_said(
    runners: LambdaRunners, service: Stubber, said: object, told: str
) -> None:
    answer = {"StatusCode": 200, "FunctionError": "Unhandled", "Payload": payload(said)}
    service.add_response("invoke", answer, {**LIST, "Payload": ANY})

    with pytest.raises(Unavailable) as refused:
        runners.list_tools("report")

    assert refused.value.message == f"The server 'report' did not start: {told}"


def test_a_server_cannot_speak_for_another(runners: LambdaRunners, service: Stubber) -> None:
    said = {"tools": [{"server": "calculator", "name": "evaluate"}]}
    service.add_response("invoke", {"StatusCode": 200, "Payload": payload(said)}, LIST)

    assert runners.list_tools("report") == [ToolSpec(server="report", name="evaluate")]


@pytest.mark.parametrize("said", [None, [], {}, {"tools": None}, {"tools": [{"name": "no server"}]}])
def test_an_answer_that_is_no_list_is_a_server_that_is_not_ready(
    runners: LambdaRunners, service: Stubber, said: object
) -> None:
    service.add_response("invoke", {"StatusCode": 200, "Payload": payload(said)}, LIST)

    with pytest.raises(Unavailable, match="sent no list"):
        runners.list_tools("report")
