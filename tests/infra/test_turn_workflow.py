"""The deployed state machine is the file that the emulator executes, with all placeholders filled."""

import json
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from infra import sources
from infra.limits import THINK_SECONDS
from satchel.domain import llm
from satchel.domain.ids import TurnId, call_id, new_id
from satchel.domain.llm import ModelError, ModelTimedOut
from satchel.domain.quotas import TooManyRunningCalls
from satchel.domain.steps import APPROVAL_DECIDED, FIRST_ROUND_LIMIT, INPUT_REQUIRED, POLL_ERRORS, TOOL_ENDED, CallRef
from satchel.services.turns.finish_turn import GRACE_PERIOD
from tests.infra.asl_validator import problems
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth
ASL_VALIDATOR = sources.ROOT / "node_modules/.bin/asl-validator"
FUNCTIONS = ("Think", "Dispatch", "Finish")
STEPS = ("Think", "Dispatch", "RecordToolResult", "Finish")
SERVICE_ERRORS = {
    "Lambda.ServiceException",
    "Lambda.AWSLambdaException",
    "Lambda.SdkClientException",
    "Lambda.TooManyRequestsException",
}


@pytest.fixture
def text(stacks: Stacks) -> str:
    return str(stacks.properties("AWS::StepFunctions::StateMachine")["TurnMachine"]["DefinitionString"])


@pytest.fixture
def tasks(text: str) -> dict[str, Any]:
    states: dict[str, Any] = json.loads(text)["States"]
    calls: dict[str, Any] = states["RunTools"]["ItemProcessor"]["States"]
    return states | calls


def test_definition_is_the_file_with_arns_and_timeouts(text: str) -> None:
    values: dict[str, object] = {step: f"{{{step}.Arn}}" for step in FUNCTIONS}
    values |= {"Partition": "{AWS::Partition}"}
    values |= {"HeartbeatSeconds": 35, "CallTimeoutSeconds": 900, "ApprovalSeconds": 3600}
    values |= {"InputSeconds": 86460, "TurnTimeoutSeconds": 604800}
    assert text == sources.load_turn_workflow(values)
    assert problems(text) == []


def test_only_call_of_a_later_round_runs_outside_of_the_map_in_the_same_way(text: str) -> None:
    states = json.loads(text)["States"]
    calls = states["RunTools"]["ItemProcessor"]["States"]
    alone = {name.removesuffix("Alone"): state for name, state in states.items() if name.endswith("Alone")}
    assert states["AnyCalls"]["Choices"][-1] == {"Variable": "$.call_id", "IsString": True, "Next": "ResumeAlone"}
    assert set(alone) == set(calls) - {"Dispatch"}
    same = ("Type", "Parameters", "Retry", "Seconds", "HeartbeatSeconds", "TimeoutSeconds")
    for name, state in alone.items():
        assert [state.get(key) for key in same] == [calls[name].get(key) for key in same]
        assert state["Next"] == (f"{calls[name]['Next']}Alone" if "Next" in calls[name] else "Think")
        catchers = [f"{each['Next']}Alone" for each in calls[name].get("Catch", [])]
        expected = ["Finish"] if name == "RecordToolResult" else catchers
        assert [each["Next"] for each in state.get("Catch", [])] == expected
        assert "ResultPath" not in state or state["ResultPath"] is None  # Think needs the ids of the turn


@pytest.mark.parametrize("step", ["Think", "Input", "RecordToolResult", "Finish"])
def test_task_is_retried_after_lambda_service_errors(tasks: dict[str, Any], step: str) -> None:
    assert set(tasks[step]["Retry"][0]["ErrorEquals"]) == SERVICE_ERRORS


@pytest.mark.parametrize("state", ["Dispatch", "Resume"])
def test_dispatch_is_retried_only_if_it_started_nothing(tasks: dict[str, Any], state: str) -> None:
    """A second run would have a new task token, while the runner sends heartbeats with the first one."""
    (retry,) = tasks[state]["Retry"]
    assert retry["ErrorEquals"] == ["Lambda.TooManyRequestsException", TooManyRunningCalls.__name__]


def test_call_past_the_quota_of_running_calls_waits_for_two_minutes(tasks: dict[str, Any]) -> None:
    (retry,) = tasks["Dispatch"]["Retry"]
    waits = [retry["IntervalSeconds"] * retry["BackoffRate"] ** attempt for attempt in range(retry["MaxAttempts"])]
    assert waits == [1, 3, 9, 27, 81]


def test_only_idempotent_steps_are_retried_after_their_own_failure(tasks: dict[str, Any]) -> None:
    repeated = {
        step for step in STEPS for retry in tasks[step]["Retry"] if retry["ErrorEquals"] == ["States.TaskFailed"]
    }
    assert repeated == {"Think", "RecordToolResult", "Finish"}


def test_timeouts_of_dispatch_are_chosen_by_whether_the_call_needs_an_approval(tasks: dict[str, Any]) -> None:
    selector = tasks["RunTools"]["ItemSelector"]
    chosen = "States.ArrayGetItem(States.Array({}, {}), $$.Map.Item.Value.approval)"
    for field, values in {"heartbeat_seconds": (35, 3600), "timeout_seconds": (900, 604800)}.items():
        assert selector[f"{field}.$"] == chosen.format(*values)
    assert tasks["Dispatch"]["HeartbeatSecondsPath"] == "$.heartbeat_seconds"
    assert tasks["Dispatch"]["TimeoutSecondsPath"] == "$.timeout_seconds"
    call = call_id(TurnId(new_id("t", datetime.now(UTC), bytes(10))), 0, 0)
    dumped = [CallRef(call_id=call, approval=approval).model_dump_json() for approval in (False, True)]
    assert [text.rpartition(":")[2] for text in dumped] == ["0}", "1}"]  # indexes, not JSON booleans


def test_decided_call_is_resumed_without_asking_again(tasks: dict[str, Any]) -> None:
    decided = tasks["Dispatch"]["Catch"][0]
    assert (decided["ErrorEquals"], decided["Next"]) == ([APPROVAL_DECIDED], "Resume")
    assert tasks["Dispatch"]["Parameters"]["Payload"]["approval.$"] == "$.approval"
    assert "approval.$" not in tasks["Resume"]["Parameters"]["Payload"]
    assert (tasks["Resume"]["HeartbeatSeconds"], tasks["Resume"]["TimeoutSeconds"]) == (35, 900)


@pytest.mark.parametrize("state", ["Dispatch", "Resume"])
def test_slow_tools_and_timeouts_of_dispatch_lead_to_record_tool_result(tasks: dict[str, Any], state: str) -> None:
    ended, questions, *_, timeouts, others = [each for each in tasks[state]["Catch"] if each["Next"] != "Resume"]
    assert (ended["ErrorEquals"], ended["Next"]) == ([TOOL_ENDED], "RecordToolResult")
    assert (questions["ErrorEquals"], questions["Next"]) == ([INPUT_REQUIRED], "Input")
    assert timeouts["ErrorEquals"] == ["States.HeartbeatTimeout", "States.Timeout"]
    assert others["ErrorEquals"] == ["States.ALL"]
    assert timeouts["Next"] == others["Next"] == "RecordToolResult"


@pytest.mark.parametrize("state", ["Dispatch", "Resume", "Poll"])
def test_success_of_a_call_says_that_its_result_is_recorded(tasks: dict[str, Any], stacks: Stacks, state: str) -> None:
    assert tasks[state]["End"] is True
    reporting = {each.role for each in stacks.statements() if "states:SendTaskSuccess" in each.actions}
    assert reporting == {"Api", "Dispatch"}  # not the runners, which execute third-party code


def test_state_data_of_recorded_calls_is_small_whatever_a_runner_sent(tasks: dict[str, Any]) -> None:
    """The cause of a failure has up to 32 KB, a round has 40 calls, and state data is limited to 256 KB."""
    assert tasks["RecordToolResult"]["ResultSelector"] == {"recorded": True}
    assert "ResultPath" not in tasks["RecordToolResult"]


@pytest.mark.parametrize("state", ["Dispatch", "Resume", "Poll"])
def test_task_of_a_server_is_polled_after_the_wait_that_the_error_names(tasks: dict[str, Any], state: str) -> None:
    catchers = {name: catcher["Next"] for catcher in tasks[state]["Catch"] for name in catcher["ErrorEquals"]}
    for seconds, error in POLL_ERRORS.items():
        assert tasks[catchers[error]] == {"Type": "Wait", "Seconds": seconds, "Next": "Poll"}


def test_poll_invokes_dispatch_like_a_resumed_call(tasks: dict[str, Any]) -> None:
    same = ("Resource", "Parameters", "HeartbeatSeconds", "TimeoutSeconds", "ResultPath", "End")
    assert [tasks["Poll"][key] for key in same] == [tasks["Resume"][key] for key in same]
    assert tasks["Poll"]["Catch"][-1]["Next"] == "RecordToolResult"


def test_answered_questions_go_to_resume_and_others_to_record_tool_result(tasks: dict[str, Any]) -> None:
    state = tasks["Input"]
    assert (state["TimeoutSeconds"], state["Next"]) == (86460, "Resume")
    assert "HeartbeatSeconds" not in state
    assert [catcher["Next"] for catcher in state["Catch"]] == ["RecordToolResult"]


def test_failed_turn_reaches_finish(tasks: dict[str, Any]) -> None:
    for step in ("Think", "RunTools"):
        assert tasks[step]["Catch"] == [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.failure", "Next": "Finish"}]


@pytest.mark.parametrize(
    ("settings", "qualifier", "finish"),
    [("stacks", "$LATEST", "{Finish.Arn}"), ("custom_settings", "live", "{FinishAliaslive}")],
)
def test_lost_first_round_goes_to_finish_after_a_minute_without_retries(
    request: pytest.FixtureRequest, settings: str, qualifier: str, finish: str
) -> None:
    deployed: Stacks = request.getfixturevalue(settings)
    config = deployed.properties("AWS::Lambda::EventInvokeConfig")["TurnFirstRound"]
    assert config == {
        "FunctionName": "{Think}",
        "Qualifier": qualifier,
        "MaximumRetryAttempts": 0,
        "MaximumEventAgeInSeconds": 60,
        "DestinationConfig": {"OnFailure": {"Destination": finish}},
    }


def test_first_round_ends_within_the_limit_that_readers_expect() -> None:
    assert FIRST_ROUND_LIMIT.total_seconds() == 60 + THINK_SECONDS + GRACE_PERIOD.total_seconds()


def test_execution_begins_with_the_calls_of_the_first_round(text: str) -> None:
    machine = json.loads(text)
    assert (machine["StartAt"], machine["States"]["RunTools"]["Next"]) == ("RunTools", "Think")


def test_rule_invokes_finish_for_executions_that_end_without_it(stacks: Stacks) -> None:
    rule = stacks.properties("AWS::Events::Rule")["TurnEndedPastFinish"]
    assert rule["State"] == "ENABLED"
    assert [target["Arn"] for target in rule["Targets"]] == ["{Finish.Arn}"]
    assert rule["EventPattern"] == {
        "source": ["aws.states"],
        "detail-type": ["Step Functions Execution Status Change"],
        "detail": {"status": ["ABORTED", "TIMED_OUT", "FAILED"], "stateMachineArn": ["{TurnMachine}"]},
    }


def test_machine_may_invoke_only_its_own_steps(stacks: Stacks) -> None:
    logging, invoking = (each for each in stacks.statements() if each.role == "TurnMachine")
    assert invoking.actions == ["lambda:InvokeFunction"]
    assert invoking.resources == [f"{{{step}.Arn}}" for step in FUNCTIONS]
    assert [action for action in logging.actions if not action.startswith("logs:")] == []


def test_errors_are_logged_without_execution_data(stacks: Stacks) -> None:
    (machine,) = stacks.properties("AWS::StepFunctions::StateMachine").values()
    logging = machine["LoggingConfiguration"]
    assert (logging["Level"], logging["IncludeExecutionData"]) == ("ERROR", False)
    assert stacks.properties("AWS::Logs::LogGroup")["TurnLog"]["LogGroupName"] == "/aws/vendedlogs/states/satchel-turn"
    assert machine["TracingConfiguration"] == {"Enabled": False}


def test_machine_invokes_published_versions_with_snap_start(custom_settings: Stacks) -> None:
    (invoking,) = (
        each
        for each in custom_settings.statements()
        if each.role == "TurnMachine" and "lambda:InvokeFunction" in each.actions
    )
    assert invoking.resources == [f"{{{step}Aliaslive}}" for step in FUNCTIONS]
    (machine,) = custom_settings.properties("AWS::StepFunctions::StateMachine").values()
    assert all(f"{{{step}Aliaslive}}" in machine["DefinitionString"] for step in FUNCTIONS)


@pytest.mark.parametrize("is_valid", [True, False])
def test_asl_validator_of_npm_agrees(text: str, tmp_path: Path, *, is_valid: bool) -> None:
    if shutil.which("node") is None or not ASL_VALIDATOR.exists():
        pytest.skip("needs asl-validator (npm ci)")
    machine = re.sub(
        r"\{(\w+)\.Arn\}", r"arn:aws:lambda:us-east-1:123456789012:function:\1", text.replace("{AWS::Partition}", "aws")
    )
    file = tmp_path / "turn.json"
    file.write_text(machine if is_valid else machine.replace('"Next":"AnyCalls"', '"Next":"Nowhere"'))
    command = ["node", str(ASL_VALIDATOR), "--json-path", str(file)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  (pinned, from npm)
    assert (result.returncode == 0) is is_valid, result.stdout + result.stderr


def test_machine_arn_of_the_functions_names_the_machine(stacks: Stacks) -> None:
    """The functions get an ARN that is built from the name, because a reference would be circular."""
    (machine,) = stacks.properties("AWS::StepFunctions::StateMachine").values()
    (machine_arn,) = {
        resource
        for each in stacks.statements()
        for resource in each.resources
        if "states:SendTaskSuccess" in each.actions
    }
    assert machine_arn.split(":stateMachine:")[-1] == machine["StateMachineName"]


def test_model_errors_are_retried_only_if_they_may_pass(tasks: dict[str, Any]) -> None:
    """Permanent errors are reported at once. A silent model already used up the function's timeout."""
    attempts = {
        name: retry["MaxAttempts"]
        for retry in tasks["Think"]["Retry"]
        for name in retry["ErrorEquals"]
        if llm.find_model_error(name)
    }
    kinds = ModelError.__subclasses__()
    assert not ModelTimedOut().is_repeatable
    assert {name for name, times in attempts.items() if times == 0} == {
        kind.__name__ for kind in kinds if not kind().is_repeatable
    }
    assert {name for name, times in attempts.items() if times} == {"ModelThrottled", "ModelUnavailable"}
