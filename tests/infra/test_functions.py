"""What functions are, whatever they do."""

import json

import pytest

from infra.packing import sizes
from infra.packing.platform import Platform
from infra.settings import Settings
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth


def test_they_run_on_the_python_that_builds_and_on_arm(stacks: Stacks) -> None:
    kinds = {(f["Runtime"], *f["Architectures"]) for f in stacks.functions().values()}
    assert kinds == {(f"python{Settings().platform.python}", "arm64")}


def test_another_python_and_processor_can_be_chosen(choices: Stacks) -> None:
    kinds = {(f["Runtime"], *f["Architectures"]) for f in choices.functions().values()}
    assert kinds == {("python3.13", "x86_64")}


def test_nothing_starts_from_a_snapshot_unless_that_is_chosen_and_runners_never_do(
    stacks: Stacks, choices: Stacks
) -> None:
    assert [name for name, each in stacks.functions().items() if "SnapStart" in each] == []
    snapped = {choices.folders()[name] for name, each in choices.functions().items() if "SnapStart" in each}
    assert snapped == {"api", "approval", "dispatch", "finish", "normalize", "sockets", "think"}


def test_what_somebody_waits_for_is_called_by_its_published_version(choices: Stacks) -> None:
    integrations = choices.of_type("AWS::ApiGatewayV2::Integration")
    called = {json.dumps(each["IntegrationUri"]) for each in integrations.values()}
    assert any("{ApiAliaslive}" in each for each in called)
    assert any("{SocketsAliaslive}" in each for each in called)
    assert not any("{Api.Arn}" in each or "{Sockets.Arn}" in each for each in called)


def test_concurrency_is_reserved_where_that_is_chosen(stacks: Stacks, choices: Stacks) -> None:
    key = "ReservedConcurrentExecutions"
    assert not any(key in each for each in stacks.functions().values())
    reserved = {name: each[key] for name, each in choices.functions().items() if key in each}
    assert reserved == {"Api": 50, "Runcalculator": 20, "Runlegacy": 20, "Runreport": 20}


def test_a_runner_has_the_disk_that_is_chosen_and_takes_inputs_for_half_of_it(choices: Stacks) -> None:
    runners = [each for each in choices.functions().values() if "TenancyConfig" in each]
    assert {each["EphemeralStorage"]["Size"] for each in runners} == {10240}
    assert int(choices.environment("Dispatch")["SATCHEL_MAX_INPUT_BYTES"]) == 5 << 30


def test_logs_are_kept_as_long_as_is_chosen_and_audit_too(stacks: Stacks, choices: Stacks) -> None:
    for deployment, days in ((stacks, 30), (choices, 14)):
        kept = {group["RetentionInDays"] for group in deployment.of_type("AWS::Logs::LogGroup").values()}
        assert kept == {days}
    assert choices.environment("Api")["SATCHEL_AUDIT_DAYS"] == "30"


def test_requests_and_messages_are_throttled_as_chosen(choices: Stacks) -> None:
    for stage in choices.of_type("AWS::ApiGatewayV2::Stage").values():
        limits = stage["DefaultRouteSettings"]
        assert (limits["ThrottlingRateLimit"], limits["ThrottlingBurstLimit"]) == (7, 9)


def test_what_nobody_waits_for_is_tried_again_and_then_kept(stacks: Stacks) -> None:
    invoked = {
        each["FunctionName"].strip("{}"): each for each in stacks.of_type("AWS::Lambda::EventInvokeConfig").values()
    }
    kept = {name: each for name, each in invoked.items() if "DestinationConfig" in each}
    assert kept.keys() == {"Endsession", "Erase", "Finish", "PublishPage"}
    for each in kept.values():
        assert each["DestinationConfig"] == {"OnFailure": {"Destination": "{LostQueue.Arn}"}}
        assert (each["MaximumRetryAttempts"], each["MaximumEventAgeInSeconds"]) == (2, 3600)
    for rule in stacks.of_type("AWS::Events::Rule").values():
        assert [target["DeadLetterConfig"] for target in rule["Targets"]] == [{"Arn": "{LostQueue.Arn}"}]


def _weights(page: str, columns: int, at: int) -> dict[str, float]:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line[:1] == "|"]
    found = [row for row in rows if len(row) == columns and row[at].replace(".", "").isdigit()]
    return {row[0]: float(row[at]) for row in found}


def test_the_page_of_layers_weighs_those_of_today() -> None:
    page = sizes.DOCUMENT.read_text(encoding="utf-8")
    (version,) = {line.split("Python 3.")[1].split(";")[0] for line in page.splitlines() if "Python 3." in line}
    layers = sizes.layers_of(Platform(minor=int(version)))
    told = {name: f"| {sizes.hash_of(contents)} |" for name, contents in layers.items()}
    rows = {line.split("|")[1].strip(): line for line in page.splitlines() if line[:1] == "|"}
    written = {name: rows.get(name, "").endswith(hash_) for name, hash_ in told.items()}
    assert written == dict.fromkeys(layers, True), "make it anew: .venv/bin/python -m infra.packing.sizes"


def test_no_layer_and_no_function_is_too_heavy() -> None:
    page = sizes.DOCUMENT.read_text(encoding="utf-8")
    layers, functions = _weights(page, 4, 1), _weights(page, 3, 2)
    assert len(layers) > 10
    assert {name: mb for name, mb in layers.items() if mb * sizes.MB > sizes.MOST_OF_A_LAYER} == {}
    assert functions["api"] * sizes.MB < sizes.MOST_OF_THE_API
    assert {name: mb for name, mb in functions.items() if mb * sizes.MB > sizes.MOST_OF_A_FUNCTION} == {}
