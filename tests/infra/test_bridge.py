"""The bridge for other chat front ends: a function with a public address, only if the setting asks for it."""

import pytest

from infra.limits import BRIDGE_RESPONSE_SECONDS
from infra.packing.contents import BRIDGE_START
from infra.packing.layer_set import LayerSet
from infra.servers import Servers
from infra.sources import SERVERS
from tests.infra.templates import Stacks
from tests.lambda_runtime import layers

pytestmark = pytest.mark.synth
FUNCTION = "BridgeFunction"


def test_default_deployment_has_no_bridge_and_no_function_url(stacks: Stacks) -> None:
    assert FUNCTION not in stacks.functions()
    assert stacks.properties("AWS::Lambda::Url") == {}
    assert "BridgeUrl" not in stacks.service["Outputs"]


def test_address_streams_and_is_open_to_requests_that_bring_their_own_token(with_bridge: Stacks) -> None:
    (url,) = with_bridge.properties("AWS::Lambda::Url").values()
    target = f"{{{FUNCTION}.Arn}}"
    assert url == {"AuthType": "NONE", "InvokeMode": "RESPONSE_STREAM", "TargetFunctionArn": target}
    open_to_all = [
        each for each in with_bridge.properties("AWS::Lambda::Permission").values() if each["Principal"] == "*"
    ]
    assert sorted(open_to_all, key=lambda each: str(each["Action"])) == [
        {"Action": "lambda:InvokeFunction", "FunctionName": target, "InvokedViaFunctionUrl": True, "Principal": "*"},
        {
            "Action": "lambda:InvokeFunctionUrl",
            "FunctionName": target,
            "FunctionUrlAuthType": "NONE",
            "Principal": "*",
        },
    ]
    output = with_bridge.service["Outputs"]["BridgeUrl"]
    assert with_bridge.with_text_references(output["Value"]) == "{BridgeFunctionFunctionUrl.FunctionUrl}"


def test_function_may_only_write_its_log(with_bridge: Stacks) -> None:
    statements = [each for each in with_bridge.statements() if each.role.startswith("Bridge")]
    [(actions, resources)] = [(each.actions, each.resources) for each in statements]
    assert actions == ["logs:CreateLogStream", "logs:PutLogEvents"]
    assert resources == ["{BridgeFunctionLog.Arn}"]
    assert with_bridge.properties("AWS::Logs::LogGroup")["BridgeFunctionLog"]["RetentionInDays"] == 30


def test_function_starts_its_own_runtime_and_ends_responses_before_lambda_does(with_bridge: Stacks) -> None:
    function = with_bridge.functions()[FUNCTION]
    assert with_bridge.environment(FUNCTION) == {
        "AWS_LAMBDA_EXEC_WRAPPER": BRIDGE_START,
        "SATCHEL_URL": "https://{WebHttp}.execute-api.{AWS::Region}.{AWS::URLSuffix}",
        "SATCHEL_WEB_ORIGINS": "https://front-end.example",
        "SATCHEL_BRIDGE_LINK_SECONDS": "86400",
        "SATCHEL_BRIDGE_WAIT_SECONDS": "60",
        "SATCHEL_BRIDGE_MAX_SECONDS": str(BRIDGE_RESPONSE_SECONDS),
    }
    assert function["Timeout"] == 900 > BRIDGE_RESPONSE_SECONDS
    assert function["Layers"] == ["{LayersVendorbridge}"]
    assert function["ReservedConcurrentExecutions"] == 20


def test_code_is_the_package_of_the_command_and_its_client_with_an_executable_start() -> None:
    code = layers.build(LayerSet(Servers(SERVERS), layers.this_machine()).bridge())
    start = code / BRIDGE_START.removeprefix("/var/task/")
    assert start.stat().st_mode & 0o111 == 0o111
    assert (code / "satchel_client" / "__init__.py").exists()
    assert {path.name for path in code.iterdir()} == {"local", "satchel_client"}
    assert {path.name for path in (code / "local").iterdir()} == {"bridge"}


def test_alarm_counts_failures_of_the_bridge(stacks: Stacks, with_bridge: Stacks) -> None:
    counted = []
    for deployment in (stacks, with_bridge):
        alarm = deployment.properties("AWS::CloudWatch::Alarm")["AlarmFunctionsFail"]
        stats = [each["MetricStat"]["Metric"]["Dimensions"] for each in alarm["Metrics"] if "MetricStat" in each]
        counted.append({dimension["Value"] for (dimension,) in stats})
    assert counted[1] - counted[0] == {f"{{{FUNCTION}}}"}
