"""The WebSocket API, and the stream from the table to the push function."""

import json
from typing import Any

import pytest

from infra import sources
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth
CONNECTIONS = "arn:{AWS::Partition}:execute-api:{AWS::Region}:{AWS::AccountId}:{SocketApi}/ws"
HOST = "{SocketApi}.execute-api.{AWS::Region}.{AWS::URLSuffix}"


def _of_sockets(stacks: Stacks, kind: str) -> list[dict[str, Any]]:
    return [each for each in stacks.properties(kind).values() if each["ApiId"] == "{SocketApi}"]


@pytest.fixture
def mapping(stacks: Stacks) -> dict[str, Any]:
    (mapping,) = stacks.properties("AWS::Lambda::EventSourceMapping").values()
    return mapping


def _allowed(stacks: Stacks, role: str, service: str) -> dict[str, list[str]]:
    """Return the resources of each action that a role may perform in a service."""
    statements = [each for each in stacks.statements() if each.role == role]
    return {
        action: each.resources for each in statements for action in each.actions if action.startswith(f"{service}:")
    }


def test_all_routes_invoke_the_sockets_function(stacks: Stacks) -> None:
    assert {route["RouteKey"] for route in _of_sockets(stacks, "AWS::ApiGatewayV2::Route")} == {
        "$connect",
        "$disconnect",
        "$default",
    }
    for integration in _of_sockets(stacks, "AWS::ApiGatewayV2::Integration"):
        assert integration["IntegrationType"] == "AWS_PROXY"
        assert integration["IntegrationUri"].endswith("/functions/{Sockets.Arn}/invocations")


def test_default_route_returns_a_response(stacks: Stacks) -> None:
    (answering_route,) = (
        route
        for route in _of_sockets(stacks, "AWS::ApiGatewayV2::Route")
        if route.get("RouteResponseSelectionExpression") == "$default"
    )
    assert answering_route["RouteKey"] == "$default"
    (response,) = _of_sockets(stacks, "AWS::ApiGatewayV2::RouteResponse")
    assert response["RouteResponseKey"] == "$default"


def test_stage_deploys_automatically_and_throttles_messages(stacks: Stacks) -> None:
    (stage,) = _of_sockets(stacks, "AWS::ApiGatewayV2::Stage")
    assert (stage["StageName"], stage["AutoDeploy"]) == ("ws", True)
    assert stage["DefaultRouteSettings"]["ThrottlingRateLimit"] > 0


def test_stage_has_no_access_logs_because_urls_contain_tickets(stacks: Stacks) -> None:
    (stage,) = _of_sockets(stacks, "AWS::ApiGatewayV2::Stage")
    assert "AccessLogSettings" not in stage
    assert not {"LoggingLevel", "DataTraceEnabled"} & stage["DefaultRouteSettings"].keys()


def test_api_knows_the_socket_url_and_push_the_management_endpoint(stacks: Stacks) -> None:
    assert stacks.environment("Api")["SATCHEL_SOCKET_URL"] == "wss://{SiteDistribution.DomainName}/ws"
    assert stacks.environment("Push")["SATCHEL_SOCKET_ENDPOINT"] == f"https://{HOST}/ws"


def test_page_origin_may_connect(stacks: Stacks) -> None:
    assert stacks.environment("Sockets")["SATCHEL_WEB_ORIGINS"] == "https://{SiteDistribution.DomainName}"


def test_only_push_and_think_may_manage_connections_and_only_of_this_api(stacks: Stacks) -> None:
    managers = {each.role: each.resources for each in stacks.statements() if "ManageConnections" in str(each.actions)}
    connections = [f"{CONNECTIONS}/{method}/@connections/*" for method in ("POST", "DELETE")]
    assert managers == {"Push": connections, "Think": connections}


def test_sockets_may_describe_executions_but_not_stop_them(stacks: Stacks) -> None:
    assert _allowed(stacks, "Sockets", "states").keys() == {"states:DescribeExecution"}


def test_push_may_read_only_the_stream_of_the_table(stacks: Stacks) -> None:
    allowed = _allowed(stacks, "Push", "dynamodb")
    for action in ("DescribeStream", "GetRecords", "GetShardIterator"):
        assert allowed[f"dynamodb:{action}"] == ["{Records.StreamArn}"]
    assert allowed["dynamodb:ListStreams"] == ["{Records.Arn}/stream/*"]


def test_stream_mapping_equals_the_definition_of_the_emulator(mapping: dict[str, Any]) -> None:
    definition = sources.load_definition("stream")
    (defined,), (deployed,) = (each.pop("FilterCriteria")["Filters"] for each in (definition, mapping))
    assert {name: mapping[name] for name in definition} == definition
    assert json.loads(deployed["Pattern"]) == json.loads(defined["Pattern"])
    assert (mapping["EventSourceArn"], mapping["FunctionName"]) == ("{Records.StreamArn}", "{Push}")


def test_slow_batch_delays_only_a_tenth_of_a_shard(mapping: dict[str, Any]) -> None:
    assert mapping["ParallelizationFactor"] == 10


def test_failed_batch_is_split_retried_and_sent_to_the_queue(stacks: Stacks, mapping: dict[str, Any]) -> None:
    assert mapping["BisectBatchOnFunctionError"] is True
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert 3 < mapping["MaximumRetryAttempts"] < 10  # after three, push ends a connection that accepts no messages
    assert mapping["DestinationConfig"] == {"OnFailure": {"Destination": "{LostQueue.Arn}"}}
    assert _allowed(stacks, "Push", "sqs")["sqs:SendMessage"] == ["{LostQueue.Arn}"]
    (queue,) = stacks.properties("AWS::SQS::Queue").values()
    assert queue["SqsManagedSseEnabled"] is True


def test_push_function_depends_on_its_stream_permission(stacks: Stacks) -> None:
    """Lambda rejects a mapping if its function may not read the stream."""
    function = stacks.resources("AWS::Lambda::Function")["Push"]
    assert any(name.startswith("PushRoleDefaultPolicy") for name in function["DependsOn"])
