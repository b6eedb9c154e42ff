"""What deletes in the background: when it is called, what it may do, and what the bucket does behind it."""

import pytest

from infra import limits
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth
CLEARING = ("Endsession", "Expire")


def test_the_sweep_is_called_every_quarter_of_an_hour(stacks: Stacks) -> None:
    rule = stacks.of_type("AWS::Events::Rule")["SweepSchedule"]
    assert (rule["ScheduleExpression"], rule["State"]) == ("rate(15 minutes)", "ENABLED")
    assert [target["Arn"] for target in rule["Targets"]] == ["{Expire.Arn}"]


def test_a_sweep_is_over_before_the_next_and_is_not_repeated(stacks: Stacks) -> None:
    assert stacks.functions()["Expire"]["Timeout"] == limits.SWEEP_SECONDS < limits.SWEEP_MINUTES * 60
    invoked = stacks.of_type("AWS::Lambda::EventInvokeConfig").values()
    assert [c["MaximumRetryAttempts"] for c in invoked if c["FunctionName"] == "{Expire}"] == [0]


@pytest.mark.parametrize("function", CLEARING)
def test_who_deletes_may_delete_files_of_every_kind_with_all_versions_and_nothing_else(
    stacks: Stacks, function: str
) -> None:
    mine = [each for each in stacks.statements() if each.who == function]
    (objects,) = (each for each in mine if "s3:DeleteObjectVersion" in each.actions)
    assert objects.actions == ["s3:DeleteObjectVersion"]
    assert objects.resources == [f"{{Files.Arn}}/*/{kind}/*" for kind in ("uploads", "artifacts", "deferred")]
    assert not any("s3:GetObject" in each.actions or "s3:PutObject" in each.actions for each in mine)
    assert any("dynamodb:BatchWriteItem" in each.actions for each in mine)


def test_the_sweep_alone_asks_the_index_of_what_expires(stacks: Stacks) -> None:
    asking = [each for each in stacks.statements() if any("/index/" in resource for resource in each.resources)]
    assert {(each.who, *each.actions, *each.resources) for each in asking} >= {
        ("Expire", "dynamodb:Query", "{Records.Arn}/index/expiry")
    }


def test_the_api_has_sessions_cleared_by_their_function(stacks: Stacks) -> None:
    assert stacks.environment("Api")["SATCHEL_END_SESSION_FUNCTION"] == "{Endsession}"
    callers = [each.who for each in stacks.statements() if "{Endsession.Arn}" in each.resources]
    assert callers == ["Api"]


@pytest.mark.parametrize("function", ["Api", "Think", *CLEARING])
def test_whether_files_outlive_sessions_is_told_to_all_who_decide_by_it(stacks: Stacks, function: str) -> None:
    assert stacks.environment(function)["SATCHEL_PERSIST_FILES_ACROSS_SESSIONS"] == "true"
