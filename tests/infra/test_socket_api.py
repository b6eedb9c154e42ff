"""The WebSocket API, and the way from the table to those who are connected."""

import json
from typing import Any

import pytest

from infra import sources
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth
CONNECTIONS = "arn:{AWS::Partition}:execute-api:{AWS::Region}:{AWS::AccountId}:{SocketApi}/ws"
HOST = "{SocketApi}.execute-api.{AWS::Region}.{AWS::URLSuffix}"


def _of_sockets(stacks: Stacks, kind: str) -> list[dict[str, Any]]:
    return [each for each in stacks.of_type(kind).values() if each["ApiId"] == "{SocketApi}"]


@pytest.fixture
def mapping(stacks: Stacks) -> dict[str, Any]:
    (mapping,) = stacks.of_type("AWS::Lambda::EventSourceMapping").values()
    return mapping


def _allowed(stacks: Stacks, who: str, service: str) -> dict[str, list[str]]:
    """Return what somebody may do in a service, with what."""
    of = [each for each in stacks.statements() if each.who == who]
    return {action: each.resources for each in of for action in each.actions if action.startswith(f"{service}:")}


def test_connections_and_messages_lead_to_the_sockets_function(stacks: Stacks) -> None:
    assert {route["RouteKey"] for route in _of_sockets(stacks, "AWS::ApiGatewayV2::Route")} == {
        "$connect",
        "$disconnect",
        "$default",
    }
    for integration in _of_sockets(stacks, "AWS::ApiGatewayV2::Integration"):
        assert integration["IntegrationType"] == "AWS_PROXY"
        assert integration["IntegrationUri"].endswith("/functions/{Sockets.Arn}/invocations")


def test_a_message_is_answered(stacks: Stacks) -> None:
    (answered,) = (
        route
        for route in _of_sockets(stacks, "AWS::ApiGatewayV2::Route")
        if route.get("RouteResponseSelectionExpression") == "$default"
    )
    assert answered["RouteKey"] == "$default"
    (answer,) = _of_sockets(stacks, "AWS::ApiGatewayV2::RouteResponse")
    assert answer["RouteResponseKey"] == "$default"


def test_changes_are_deployed_and_messages_throttled(stacks: Stacks) -> None:
    (stage,) = _of_sockets(stacks, "AWS::ApiGatewayV2::Stage")
    assert (stage["StageName"], stage["AutoDeploy"]) == ("ws", True)
    assert stage["DefaultRouteSettings"]["ThrottlingRateLimit"] > 0


def test_nothing_logs_the_tickets_that_stand_in_addresses(stacks: Stacks) -> None:
    (stage,) = _of_sockets(stacks, "AWS::ApiGatewayV2::Stage")
    assert "AccessLogSettings" not in stage
    assert not {"LoggingLevel", "DataTraceEnabled"} & stage["DefaultRouteSettings"].keys()


def test_people_are_told_where_to_connect_and_push_where_to_send(stacks: Stacks) -> None:
    assert stacks.environment("Api")["SATCHEL_SOCKET_URL"] == "wss://{SiteDistribution.DomainName}/ws"
    assert stacks.environment("Push")["SATCHEL_SOCKET_ENDPOINT"] == f"https://{HOST}/ws"


def test_pages_of_the_deployment_may_connect(stacks: Stacks) -> None:
    assert stacks.environment("Sockets")["SATCHEL_WEB_ORIGINS"] == "https://{SiteDistribution.DomainName}"


def test_push_alone_speaks_to_connections_and_only_those_of_this_api(stacks: Stacks) -> None:
    speaking = {each.who: each.resources for each in stacks.statements() if "ManageConnections" in str(each.actions)}
    assert speaking == {"Push": [f"{CONNECTIONS}/{method}/@connections/*" for method in ("POST", "DELETE")]}


def test_sockets_looks_at_executions_and_ends_none(stacks: Stacks) -> None:
    assert _allowed(stacks, "Sockets", "states").keys() == {"states:DescribeExecution"}


def test_push_reads_the_tables_stream_and_no_other(stacks: Stacks) -> None:
    allowed = _allowed(stacks, "Push", "dynamodb")
    for action in ("DescribeStream", "GetRecords", "GetShardIterator"):
        assert allowed[f"dynamodb:{action}"] == ["{Records.StreamArn}"]
    assert allowed["dynamodb:ListStreams"] == ["{Records.Arn}/stream/*"]


def test_the_stream_is_read_as_the_local_run_reads_it(mapping: dict[str, Any]) -> None:
    definition = sources.definition("stream")
    (given,), (deployed,) = (each.pop("FilterCriteria")["Filters"] for each in (definition, mapping))
    assert {name: mapping[name] for name in definition} == definition
    assert json.loads(deployed["Pattern"]) == json.loads(given["Pattern"])
    assert (mapping["EventSourceArn"], mapping["FunctionName"]) == ("{Records.StreamArn}", "{Push}")


def test_a_turns_records_come_one_batch_after_the_other(mapping: dict[str, Any]) -> None:
    assert mapping["ParallelizationFactor"] == 1


def test_a_batch_that_fails_is_split_tried_again_a_few_times_and_then_noted(
    stacks: Stacks, mapping: dict[str, Any]
) -> None:
    assert mapping["BisectBatchOnFunctionError"] is True
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert 3 < mapping["MaximumRetryAttempts"] < 10  # after three, a connection that takes nothing is ended
    assert mapping["DestinationConfig"] == {"OnFailure": {"Destination": "{LostQueue.Arn}"}}
    assert _allowed(stacks, "Push", "sqs")["sqs:SendMessage"] == ["{LostQueue.Arn}"]
    (queue,) = stacks.of_type("AWS::SQS::Queue").values()
    assert queue["SqsManagedSseEnabled"] is True


def test_push_is_asked_only_when_it_may_already_read(stacks: Stacks) -> None:
    """Lambda refuses a mapping whose function may not read the stream."""
    function = stacks.resources("AWS::Lambda::Function")["Push"]
    assert any(name.startswith("PushRoleDefaultPolicy") for name in function["DependsOn"])
