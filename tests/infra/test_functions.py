"""Properties that all functions share: runtime, SnapStart, concurrency, logs, retries."""

import json

import pytest

from infra.settings import Settings
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth


def test_functions_run_the_building_python_on_arm_by_default(stacks: Stacks) -> None:
    kinds = {(f["Runtime"], *f["Architectures"]) for f in stacks.functions().values()}
    assert kinds == {(f"python{Settings().platform.python}", "arm64")}


def test_python_and_architecture_can_be_set(custom_settings: Stacks) -> None:
    kinds = {(f["Runtime"], *f["Architectures"]) for f in custom_settings.functions().values()}
    assert kinds == {("python3.13", "x86_64")}


def test_snap_start_applies_if_set_to_latency_sensitive_functions_only(stacks: Stacks, custom_settings: Stacks) -> None:
    assert [name for name, each in stacks.functions().items() if "SnapStart" in each] == []
    with_snap_start = {
        custom_settings.folders()[name] for name, each in custom_settings.functions().items() if "SnapStart" in each
    }
    assert with_snap_start == {"api", "dispatch", "finish", "sockets", "think"}


def test_apis_invoke_the_published_version_with_snap_start(custom_settings: Stacks) -> None:
    integrations = custom_settings.properties("AWS::ApiGatewayV2::Integration")
    targets = {json.dumps(each["IntegrationUri"]) for each in integrations.values()}
    assert any("{ApiAliaslive}" in each for each in targets)
    assert any("{SocketsAliaslive}" in each for each in targets)
    assert not any("{Api.Arn}" in each or "{Sockets.Arn}" in each for each in targets)


def test_concurrency_is_reserved_if_set(stacks: Stacks, custom_settings: Stacks) -> None:
    key = "ReservedConcurrentExecutions"
    assert not any(key in each for each in stacks.functions().values())
    reserved = {name: each[key] for name, each in custom_settings.functions().items() if key in each}
    assert reserved == {"Api": 50, "Runcalculator": 40, "Rundocuments": 40, "Runlegacy": 40, "Runreport": 40}


def test_runner_disk_can_be_set_and_inputs_may_fill_half_of_it(custom_settings: Stacks) -> None:
    runners = [each for each in custom_settings.functions().values() if "TenancyConfig" in each]
    assert {each["EphemeralStorage"]["Size"] for each in runners} == {10240}
    assert int(custom_settings.environment("Dispatch")["SATCHEL_MAX_INPUT_BYTES"]) == 5 << 30


def test_log_and_audit_retention_can_be_set(stacks: Stacks, custom_settings: Stacks) -> None:
    for deployment, days in ((stacks, 30), (custom_settings, 14)):
        retention = {group["RetentionInDays"] for group in deployment.properties("AWS::Logs::LogGroup").values()}
        assert retention == {days}
    assert custom_settings.environment("Api")["SATCHEL_AUDIT_DAYS"] == "30"


def test_throttling_of_requests_and_messages_can_be_set(custom_settings: Stacks) -> None:
    for stage in custom_settings.properties("AWS::ApiGatewayV2::Stage").values():
        limits = stage["DefaultRouteSettings"]
        assert (limits["ThrottlingRateLimit"], limits["ThrottlingBurstLimit"]) == (7, 9)


def test_failed_asynchronous_invocations_are_retried_then_sent_to_the_queue(stacks: Stacks) -> None:
    configs = {
        each["FunctionName"].strip("{}"): each for each in stacks.properties("AWS::Lambda::EventInvokeConfig").values()
    }
    first_round = configs.pop("Think")  # see test_turn_workflow
    assert first_round["MaximumRetryAttempts"] == 0
    with_destination = {name: each for name, each in configs.items() if "DestinationConfig" in each}
    assert with_destination.keys() == {"EndSession", "Erase", "Finish", "PublishPage"}
    for each in with_destination.values():
        assert each["DestinationConfig"] == {"OnFailure": {"Destination": "{LostQueue.Arn}"}}
        assert (each["MaximumRetryAttempts"], each["MaximumEventAgeInSeconds"]) == (2, 3600)
    for rule in stacks.properties("AWS::Events::Rule").values():
        assert [target["DeadLetterConfig"] for target in rule["Targets"]] == [{"Arn": "{LostQueue.Arn}"}]
