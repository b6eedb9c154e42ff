"""When servers are asked for their tools in the cloud."""

import pytest

from infra import limits
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth


def test_servers_are_asked_at_the_end_of_each_deployment(stacks: Stacks) -> None:
    rule = stacks.of_type("AWS::Events::Rule")["ToolRefreshDeployedRule"]
    assert [target["Arn"] for target in rule["Targets"]] == ["{Refresh.Arn}"]
    assert rule["EventPattern"] == {
        "source": ["aws.cloudformation"],
        "detail-type": ["CloudFormation Stack Status Change"],
        "detail": {
            "stack-id": ["{AWS::StackId}"],
            "status-details": {"status": ["CREATE_COMPLETE", "UPDATE_COMPLETE"]},
        },
    }


def test_servers_that_are_due_are_looked_for_every_few_minutes(stacks: Stacks) -> None:
    rule = stacks.of_type("AWS::Events::Rule")["ToolRefreshDueSchedule"]
    assert (rule["ScheduleExpression"], rule["State"]) == ("rate(5 minutes)", "ENABLED")
    assert [target["Arn"] for target in rule["Targets"]] == ["{Refresh.Arn}"]


def test_a_look_is_over_before_the_next_and_starts_a_good_server_a_few_times_a_day(stacks: Stacks) -> None:
    assert stacks.functions()["Refresh"]["Timeout"] == limits.REFRESH_SECONDS < limits.REFRESH_MINUTES * 60
    assert int(stacks.environment("Refresh")["SATCHEL_TOOLS_KEPT_SECONDS"]) == 6 * 3600


def test_who_asks_for_tools_keeps_records_and_touches_no_file(stacks: Stacks) -> None:
    mine = [action for each in stacks.statements() if each.who == "Refresh" for action in each.actions]
    assert "lambda:InvokeFunction" in mine
    assert [action for action in mine if action.startswith(("s3:", "sts:", "secretsmanager:"))] == []
