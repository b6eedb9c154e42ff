"""The machine that is deployed is the file that the local run executes, with everything filled in."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from infra import sources
from satchel.domain import model_errors
from satchel.domain.model_errors import ModelError, ModelSilent
from tests.infra.asl_validator import problems
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth
ASL_VALIDATOR = sources.ROOT / "node_modules/.bin/asl-validator"
STEPS = ("Think", "Approval", "Dispatch", "Normalize", "Finish")
SERVICE_ERRORS = {
    "Lambda.ServiceException",
    "Lambda.AWSLambdaException",
    "Lambda.SdkClientException",
    "Lambda.TooManyRequestsException",
}


@pytest.fixture
def text(stacks: Stacks) -> str:
    return str(stacks.of_type("AWS::StepFunctions::StateMachine")["TurnMachine"]["DefinitionString"])


@pytest.fixture
def tasks(text: str) -> dict[str, Any]:
    states: dict[str, Any] = json.loads(text)["States"]
    calls: dict[str, Any] = states["RunTools"]["ItemProcessor"]["States"]
    return states | calls


def test_it_is_the_file_with_the_functions_addresses(text: str) -> None:
    values: dict[str, object] = {step: f"{{{step}.Arn}}" for step in STEPS}
    values |= {"HeartbeatSeconds": 35, "CallTimeoutSeconds": 900, "ApprovalSeconds": 3600, "TurnTimeoutSeconds": 14400}
    assert text == sources.filled(sources.TURN_WORKFLOW.read_text(encoding="utf-8"), values)
    assert problems(text) == []


@pytest.mark.parametrize("step", ["Think", "Approval", "Normalize", "Finish"])
def test_a_task_is_tried_again_when_lambda_itself_fails(tasks: dict[str, Any], step: str) -> None:
    assert set(tasks[step]["Retry"][0]["ErrorEquals"]) == SERVICE_ERRORS


def test_dispatch_is_tried_again_only_where_it_surely_did_not_run(tasks: dict[str, Any]) -> None:
    """A second one would have a new token, while the runner beats with the first's."""
    (retry,) = tasks["Dispatch"]["Retry"]
    assert retry["ErrorEquals"] == ["Lambda.TooManyRequestsException"]


def test_only_steps_that_may_come_twice_are_tried_again_when_they_fail_themselves(tasks: dict[str, Any]) -> None:
    repeated = {
        step for step in STEPS for retry in tasks[step]["Retry"] if retry["ErrorEquals"] == ["States.TaskFailed"]
    }
    assert repeated == {"Think", "Normalize", "Finish"}


def test_a_runner_must_beat_and_a_person_need_not(tasks: dict[str, Any]) -> None:
    assert tasks["Dispatch"]["HeartbeatSeconds"] == 35
    assert "HeartbeatSeconds" not in tasks["Approval"]


def test_a_call_that_nobody_approves_goes_to_dispatch_which_refuses_it(tasks: dict[str, Any]) -> None:
    approval = tasks["Approval"]
    assert approval["TimeoutSeconds"] == 3600
    assert [catcher["Next"] for catcher in approval["Catch"]] == [approval["Next"]] == ["Dispatch"]


def test_both_names_of_a_time_out_lead_a_call_to_its_outcome(tasks: dict[str, Any]) -> None:
    named, anything = tasks["Dispatch"]["Catch"]
    assert named["ErrorEquals"] == ["States.HeartbeatTimeout", "States.Timeout"]
    assert anything["ErrorEquals"] == ["States.ALL"]
    assert named["Next"] == anything["Next"] == "Normalize"


def test_a_turn_that_goes_wrong_reaches_finish(tasks: dict[str, Any]) -> None:
    for step in ("Think", "RunTools"):
        assert tasks[step]["Catch"] == [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.failure", "Next": "Finish"}]


def test_executions_that_end_past_finish_are_sent_to_it(stacks: Stacks) -> None:
    rule = stacks.of_type("AWS::Events::Rule")["TurnEndedPastFinish"]
    assert rule["State"] == "ENABLED"
    assert [target["Arn"] for target in rule["Targets"]] == ["{Finish.Arn}"]
    assert rule["EventPattern"] == {
        "source": ["aws.states"],
        "detail-type": ["Step Functions Execution Status Change"],
        "detail": {"status": ["ABORTED", "TIMED_OUT", "FAILED"], "stateMachineArn": ["{TurnMachine}"]},
    }


def test_the_machine_invokes_its_own_steps_and_nothing_else(stacks: Stacks) -> None:
    logging, invoking = (each for each in stacks.statements() if each.who == "TurnMachine")
    assert invoking.actions == ["lambda:InvokeFunction"]
    assert invoking.resources == [f"{{{step}.Arn}}" for step in STEPS]
    assert [action for action in logging.actions if not action.startswith("logs:")] == []


def test_errors_are_logged_without_what_executions_carry(stacks: Stacks) -> None:
    (machine,) = stacks.of_type("AWS::StepFunctions::StateMachine").values()
    logging = machine["LoggingConfiguration"]
    assert (logging["Level"], logging["IncludeExecutionData"]) == ("ERROR", False)
    assert stacks.of_type("AWS::Logs::LogGroup")["TurnLog"]["LogGroupName"] == "/aws/vendedlogs/states/satchel-turn"
    assert machine["TracingConfiguration"] == {"Enabled": False}


def test_with_snapshots_the_published_functions_are_called(choices: Stacks) -> None:
    (invoking,) = (
        each for each in choices.statements() if each.who == "TurnMachine" and "lambda:InvokeFunction" in each.actions
    )
    assert invoking.resources == [f"{{{step}Aliaslive}}" for step in STEPS]
    (machine,) = choices.of_type("AWS::StepFunctions::StateMachine").values()
    assert all(f"{{{step}Aliaslive}}" in machine["DefinitionString"] for step in STEPS)


@pytest.mark.parametrize("is_valid", [True, False])
def test_another_judge_finds_nothing_either(text: str, tmp_path: Path, *, is_valid: bool) -> None:
    if shutil.which("node") is None or not ASL_VALIDATOR.exists():
        pytest.skip("asl-validator comes with npm ci")
    machine = re.sub(r"\{(\w+)\.Arn\}", r"arn:aws:lambda:us-east-1:123456789012:function:\1", text)
    file = tmp_path / "turn.json"
    file.write_text(machine if is_valid else machine.replace('"Next": "AnyCalls"', '"Next": "Nowhere"'))
    command = ["node", str(ASL_VALIDATOR), "--json-path", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  (pinned, from npm)
    assert (done.returncode == 0) is is_valid, done.stdout + done.stderr


def test_the_address_that_functions_are_given_is_the_machines(stacks: Stacks) -> None:
    """Its own functions know it by name only: a reference would be a circle."""
    (machine,) = stacks.of_type("AWS::StepFunctions::StateMachine").values()
    (given,) = {
        resource
        for each in stacks.statements()
        for resource in each.resources
        if "states:SendTaskSuccess" in each.actions
    }
    assert given.split(":stateMachine:")[-1] == machine["StateMachineName"]


def test_a_model_is_asked_again_by_the_machine_where_that_may_help(tasks: dict[str, Any]) -> None:
    """What does not pass is told at once; a silent one was waited for as long as the function may."""
    attempts = {
        name: retry["MaxAttempts"]
        for retry in tasks["Think"]["Retry"]
        for name in retry["ErrorEquals"]
        if model_errors.named(name)
    }
    kinds = ModelError.__subclasses__()
    assert {name for name, times in attempts.items() if times == 0} == {
        kind.__name__ for kind in kinds if not kind.passing or kind is ModelSilent
    }
    assert {name for name, times in attempts.items() if times} == {"ModelThrottled", "ModelUnavailable"}
