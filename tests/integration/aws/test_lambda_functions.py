import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.exceptions import ClientError, ReadTimeoutError
from botocore.response import StreamingBody
from botocore.stub import ANY, Stubber

from satchel.adapters import clients
from satchel.adapters.lambda_functions import LambdaOfferReader, LambdaRunners, LambdaTurnStarter
from satchel.contract import ToolCrashed
from satchel.domain.calls import RunnerReport
from satchel.domain.conversation import ToolSpec
from satchel.domain.errors import Unavailable
from satchel.domain.ids import SessionId, TurnId, UserName
from satchel.domain.resources import OfferAnswer, OfferRequest, Offers, Resource
from satchel.domain.timing import Limits
from satchel.domain.tools import ToolListing
from satchel.ports.runners import CallOrder, InputFile, RunnerAnswer, ScopedCredentials
from satchel.ports.tool_client import ServerSession
from satchel.services.calls.dispatch_tool import MAX_WAIT
from tests.integration.aws.factories import make_call, make_session, make_turn

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

LIST_REQUEST = {
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
    return LambdaRunners(client, client, client, "satchel-run-", {"far", "farther"}, "satchel-remote")


def payload(value: object) -> StreamingBody:
    body = json.dumps(value).encode()
    return StreamingBody(io.BytesIO(body), len(body))


def make_order() -> CallOrder:
    call = make_call(make_turn(make_session(UserName("ada@example.com"))))
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
        waits_until=datetime(2026, 1, 1, tzinfo=UTC),
        credentials=ScopedCredentials(access_key_id="a", secret_access_key="s", session_token="t"),
        limits=Limits(),
    )


ANSWER = RunnerAnswer(report=RunnerReport(results=5), has_events=False)


def run_request(order: CallOrder, invocation_type: str = "RequestResponse") -> dict[str, object]:
    return {
        "FunctionName": "satchel-run-report",
        "InvocationType": invocation_type,
        "TenantId": "ada@example.com",
        "Payload": json.dumps({"server": "report", **order.model_dump(mode="json")}).encode(),
    }


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ({"answer": {"report": {"results": 5}, "has_events": False}}, ANSWER),
        ({"answer": None}, None),
        (None, None),
        ([1], None),
        ({"answer": "forged"}, RunnerAnswer()),
        ({"answer": {"report": {"duration_ms": "long"}}}, RunnerAnswer()),
    ],
)
def test_call_runs_in_the_servers_function_as_the_users_tenant(
    runners: LambdaRunners, service: Stubber, response: object, answer: RunnerAnswer | None
) -> None:
    order = make_order()
    service.add_response("invoke", {"StatusCode": 200, "Payload": payload(response)}, run_request(order))

    assert runners.run("report", order) == answer


def test_call_of_a_runner_that_ends_raises_tool_crashed_with_the_reason(
    runners: LambdaRunners, service: Stubber
) -> None:
    response = {"StatusCode": 200, "FunctionError": "Unhandled", "Payload": payload({"errorMessage": "signal: killed"})}
    service.add_response("invoke", response, {**LIST_REQUEST, "TenantId": ANY, "Payload": ANY})

    with pytest.raises(ToolCrashed, match="ended before the tool returned a result: signal: killed"):
        runners.run("report", make_order())


def test_call_waits_in_the_queue_of_a_busy_runner_which_then_completes_the_task(
    runners: LambdaRunners, service: Stubber
) -> None:
    order = make_order()
    service.add_client_error("invoke", "TooManyRequestsException", expected_params=run_request(order))
    queued = order.model_copy(update={"waits_until": None})
    service.add_response("invoke", {"StatusCode": 202}, run_request(queued, "Event"))

    assert runners.run("report", order) is None


def test_slow_call_is_left_to_its_runner_after_some_seconds(runners: LambdaRunners, client: "LambdaClient") -> None:
    def time_out(**_parameters: object) -> None:
        raise ReadTimeoutError(endpoint_url="https://lambda.example")

    client.meta.events.register("before-send.lambda.Invoke", time_out)

    with pytest.raises(TimeoutError):
        runners.run("report", make_order())


def test_client_waits_longer_for_a_call_than_its_runner_expects() -> None:
    config = vars(clients.lambda_waiting().meta.config)
    assert config["read_timeout"] > MAX_WAIT.total_seconds() + 1
    assert config["retries"]["total_max_attempts"] == 1


def test_remote_servers_share_a_runner(runners: LambdaRunners, service: Stubber) -> None:
    for server in ("far", "farther"):
        request = {
            "FunctionName": "satchel-remote",
            "Payload": json.dumps({"action": "list", "server": server}).encode(),
        }
        service.add_response(
            "invoke", {"StatusCode": 200, "Payload": payload({"tools": []})}, {**LIST_REQUEST, **request}
        )
        assert runners.list_tools(server) == ToolListing(tools=[])


def test_call_order_round_trips_as_json() -> None:
    order = make_order()

    assert CallOrder.model_validate_json(order.model_dump_json()) == order
    assert json.loads(order.model_dump_json())["action"] == "call"


def test_failed_invocation_raises(runners: LambdaRunners, service: Stubber) -> None:
    for _ in range(2):
        service.add_client_error("invoke", "TooManyRequestsException")

    with pytest.raises(ClientError):
        runners.run("report", make_order())


def test_list_tools_uses_the_listing_tenant(runners: LambdaRunners, service: Stubber) -> None:
    tools = [ToolSpec(server="report", name="summarise", description="Grün.", input_schema={"type": "object"})]
    value = {"tools": [tool.model_dump() for tool in tools], "config_hash": "h"}
    service.add_response("invoke", {"StatusCode": 200, "Payload": payload(value)}, LIST_REQUEST)

    assert runners.list_tools("report") == ToolListing(tools=tools)


@pytest.mark.parametrize(("layers", "level"), [(["landlock", "seccomp", "mounts"], "kernel"), ([], "process")])
def test_isolation_of_the_runners_machine_is_returned(
    runners: LambdaRunners, service: Stubber, layers: list[str], level: str
) -> None:
    value = {"tools": [], "isolation": {"layers": layers, "missing": {}}}
    service.add_response("invoke", {"StatusCode": 200, "Payload": payload(value)}, LIST_REQUEST)

    assert runners.list_tools("report").isolation_level == level


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"errorMessage": "no module named pandas"}, "no module named pandas"),
        ({}, "unknown error"),
    ],
)
def test_error_of_a_server_that_does_not_start_has_name_and_reason(
    runners: LambdaRunners, service: Stubber, value: object, message: str
) -> None:
    response = {"StatusCode": 200, "FunctionError": "Unhandled", "Payload": payload(value)}
    service.add_response("invoke", response, {**LIST_REQUEST, "Payload": ANY})

    with pytest.raises(Unavailable) as raised:
        runners.list_tools("report")

    assert raised.value.message == f"The server 'report' did not start: {message}"


def test_tools_belong_to_the_server_that_was_asked(runners: LambdaRunners, service: Stubber) -> None:
    value = {"tools": [{"server": "calculator", "name": "evaluate"}]}
    service.add_response("invoke", {"StatusCode": 200, "Payload": payload(value)}, LIST_REQUEST)

    assert runners.list_tools("report").tools == [ToolSpec(server="report", name="evaluate")]


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"tools": None},
        {"tools": [{"name": "no server"}]},
        {"tools": [], "isolation": {"layers": ["magic"]}},
    ],
)
def test_invalid_answer_raises_unavailable(runners: LambdaRunners, service: Stubber, value: object) -> None:
    service.add_response("invoke", {"StatusCode": 200, "Payload": payload(value)}, LIST_REQUEST)

    with pytest.raises(Unavailable, match="returned an invalid list"):
        runners.list_tools("report")


def test_resources_of_a_runner_get_the_name_of_its_server(runners: LambdaRunners, service: Stubber) -> None:
    forged = Resource(server="vault", uri="demo://1", name="1")
    value = {"tools": [], "offers": {"resources": [forged.model_dump()]}}
    service.add_response("invoke", {"StatusCode": 200, "Payload": payload(value)}, LIST_REQUEST)

    assert runners.list_tools("report").offers == Offers(resources=[forged.model_copy(update={"server": "report"})])


def test_end_of_a_session_is_sent_to_the_remote_runner_of_the_user(runners: LambdaRunners, service: Stubber) -> None:
    session = ServerSession(session_id="m1", handshake="{}")
    body = {"server": "far", "action": "end", "session": session.model_dump()}
    request = {"FunctionName": "satchel-remote", "InvocationType": "Event", "TenantId": "ada@example.com"}
    service.add_response("invoke", {"StatusCode": 202}, {**request, "Payload": json.dumps(body).encode()})

    runners.end_session("far", UserName("ada@example.com"), session)


def test_first_round_of_a_turn_is_requested_with_ids_only(client: "LambdaClient", service: Stubber) -> None:
    event = {"user": "ada@example.com", "session_id": "s1", "turn_id": "t1", "has_execution": False}
    request = {"FunctionName": "think", "InvocationType": "Event", "Payload": json.dumps(event).encode()}
    service.add_response("invoke", {"StatusCode": 202}, request)

    LambdaTurnStarter(client, "think").start(UserName("ada@example.com"), SessionId("s1"), TurnId("t1"))


def test_request_for_a_first_round_that_fails_raises(client: "LambdaClient", service: Stubber) -> None:
    service.add_client_error("invoke", "TooManyRequestsException")

    with pytest.raises(ClientError, match="TooManyRequestsException"):
        LambdaTurnStarter(client, "think").start(UserName("ada@example.com"), SessionId("s1"), TurnId("t1"))


class TestOffers:
    request = OfferRequest(method="prompts/get", name="greet", arguments={"name": "Ada"})

    def test_runner_of_the_user_gets_the_request(self, runners: LambdaRunners, service: Stubber) -> None:
        body = {"action": "offer", "server": "report", "request": self.request.model_dump()}
        expected = {
            "FunctionName": "satchel-run-report",
            "InvocationType": "RequestResponse",
            "TenantId": "ada@example.com",
            "Payload": json.dumps(body).encode(),
        }
        service.add_response("invoke", {"StatusCode": 200, "Payload": payload({"text": "Hello"})}, expected)

        assert runners.read_offer("report", UserName("ada@example.com"), self.request) == OfferAnswer(text="Hello")

    def test_function_that_may_invoke_runners_gets_the_request_with_the_user(
        self, client: "LambdaClient", service: Stubber
    ) -> None:
        body = {"action": "offer", "server": "far", "user": "ada", "request": self.request.model_dump()}
        expected = {
            "FunctionName": "satchel-refresh",
            "InvocationType": "RequestResponse",
            "Payload": json.dumps(body).encode(),
        }
        service.add_response("invoke", {"StatusCode": 200, "Payload": payload({"values": ["a"]})}, expected)

        read = LambdaOfferReader(client, "satchel-refresh")
        assert read("far", UserName("ada"), self.request) == OfferAnswer(values=["a"])

    @pytest.mark.parametrize("value", [None, [], {"text": 1}, {"files": [{"name": "a"}]}])
    def test_invalid_answer_raises_unavailable(self, runners: LambdaRunners, service: Stubber, value: object) -> None:
        service.add_response("invoke", {"StatusCode": 200, "Payload": payload(value)})

        with pytest.raises(Unavailable, match="'report' returned an invalid answer"):
            runners.read_offer("report", UserName("ada"), self.request)

    def test_error_of_a_server_that_does_not_answer_has_name_and_reason(
        self, runners: LambdaRunners, service: Stubber
    ) -> None:
        error = payload({"errorMessage": "no such program"})
        service.add_response("invoke", {"StatusCode": 200, "FunctionError": "Unhandled", "Payload": error})

        with pytest.raises(Unavailable, match="'report' did not answer: no such program"):
            runners.read_offer("report", UserName("ada"), self.request)
