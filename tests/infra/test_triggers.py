"""Background work: the sweep, the deletion of session data, and the refresh of tool lists."""

import pytest

from infra import limits
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth
DELETING_FUNCTIONS = ("EndSession", "Expire")


def test_sweep_runs_every_15_minutes(stacks: Stacks) -> None:
    rule = stacks.properties("AWS::Events::Rule")["SweepSchedule"]
    assert (rule["ScheduleExpression"], rule["State"]) == ("rate(15 minutes)", "ENABLED")
    assert [target["Arn"] for target in rule["Targets"]] == ["{Expire.Arn}"]


def test_sweep_times_out_before_the_next_one_and_is_not_retried(stacks: Stacks) -> None:
    assert stacks.functions()["Expire"]["Timeout"] == limits.SWEEP_SECONDS < limits.SWEEP_MINUTES * 60
    invoked = stacks.properties("AWS::Lambda::EventInvokeConfig").values()
    assert [c["MaximumRetryAttempts"] for c in invoked if c["FunctionName"] == "{Expire}"] == [0]


@pytest.mark.parametrize("function", DELETING_FUNCTIONS)
def test_deleting_functions_may_delete_all_versions_but_not_read_or_write_files(stacks: Stacks, function: str) -> None:
    own = [each for each in stacks.statements() if each.role == function]
    (objects,) = (each for each in own if "s3:DeleteObjectVersion" in each.actions)
    assert objects.actions == ["s3:DeleteObject", "s3:DeleteObjectVersion"]
    assert objects.resources == [f"{{Files.Arn}}/*/{kind}/*" for kind in ("turns", "uploads", "artifacts", "deferred")]
    readable = [pattern for each in own if "s3:GetObject" in each.actions for pattern in each.resources]
    assert readable == (["{Files.Arn}/*/turns/*/texts/*"] if function == "Expire" else [])  # it ends stuck turns
    assert not any("s3:PutObject" in each.actions for each in own)
    assert any("dynamodb:BatchWriteItem" in each.actions for each in own)


def test_sweep_may_query_the_expiry_index(stacks: Stacks) -> None:
    statements = [each for each in stacks.statements() if any("/index/" in resource for resource in each.resources)]
    assert {(each.role, *each.actions, *each.resources) for each in statements} >= {
        ("Expire", "dynamodb:Query", "{Records.Arn}/index/expiry")
    }


def test_only_api_may_invoke_end_session(stacks: Stacks) -> None:
    assert stacks.environment("Api")["SATCHEL_END_SESSION_FUNCTION"] == "{EndSession}"
    callers = [each.role for each in stacks.statements() if "{EndSession.Arn}" in each.resources]
    assert callers == ["Api"]


@pytest.mark.parametrize("function", ["Api", *DELETING_FUNCTIONS])
def test_persist_files_setting_reaches_all_functions_that_read_it(stacks: Stacks, function: str) -> None:
    assert stacks.environment(function)["SATCHEL_PERSIST_FILES_ACROSS_SESSIONS"] == "true"


def test_tool_refresh_runs_at_the_end_of_each_deployment(stacks: Stacks) -> None:
    rule = stacks.properties("AWS::Events::Rule")["ToolRefreshDeployedRule"]
    assert [target["Arn"] for target in rule["Targets"]] == ["{Refresh.Arn}"]
    assert rule["EventPattern"] == {
        "source": ["aws.cloudformation"],
        "detail-type": ["CloudFormation Stack Status Change"],
        "detail": {
            "stack-id": ["{AWS::StackId}"],
            "status-details": {"status": ["CREATE_COMPLETE", "UPDATE_COMPLETE"]},
        },
    }


def test_tool_refresh_runs_every_5_minutes(stacks: Stacks) -> None:
    rule = stacks.properties("AWS::Events::Rule")["ToolRefreshDueSchedule"]
    assert (rule["ScheduleExpression"], rule["State"]) == ("rate(5 minutes)", "ENABLED")
    assert [target["Arn"] for target in rule["Targets"]] == ["{Refresh.Arn}"]


def test_tool_refresh_times_out_before_the_next_and_lists_last_6_hours(stacks: Stacks) -> None:
    assert stacks.functions()["Refresh"]["Timeout"] == limits.REFRESH_SECONDS < limits.REFRESH_MINUTES * 60
    assert int(stacks.environment("Refresh")["SATCHEL_TOOLS_KEPT_SECONDS"]) == 6 * 3600


def test_tool_refresh_has_no_access_to_files_and_secrets(stacks: Stacks) -> None:
    own = [action for each in stacks.statements() if each.role == "Refresh" for action in each.actions]
    assert "lambda:InvokeFunction" in own
    assert [action for action in own if action.startswith(("s3:", "sts:", "secretsmanager:"))] == []
