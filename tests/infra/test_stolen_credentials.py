"""The reach of a thief with the credentials of a call or of a runner, according to an evaluator of policies."""

from pathlib import Path

import pytest

from tests.infra.conftest import read_stacks
from tests.infra.stolen_credentials import (
    DEPLOYMENT,
    DOCUMENT,
    RUNNER,
    TARGETS,
    allowed,
    role_policy,
    session_policy,
    table,
    with_table,
)
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth

OUTPUT = ["s3:PutObject", "s3:PutObjectTagging", "s3:AbortMultipartUpload"]


@pytest.fixture(scope="module")
def deployment(synthesized: Path) -> Stacks:
    return read_stacks(synthesized / DEPLOYMENT)


@pytest.mark.clause("v2.1:storage:apart")
def test_credentials_of_a_call_reach_its_own_items_and_objects_only(deployment: Stacks) -> None:
    role = role_policy(deployment, "Call")
    reached = {target.name: actions for target in TARGETS if (actions := allowed(target, role, session_policy()))}
    assert reached == {
        "this call's claim, reported events and result, questions and answers": [
            "dynamodb:GetItem",
            "dynamodb:PutItem",
        ],
        "this call's files": OUTPUT,
        "this call's result, if it is large": OUTPUT,
    }


def test_role_of_a_runner_reaches_neither_items_nor_objects(deployment: Stacks) -> None:
    role = role_policy(deployment, RUNNER)
    reached = {target.name: actions for target in TARGETS if (actions := allowed(target, role))}
    assert reached == {
        "state machine": ["states:SendTaskHeartbeat", "states:SendTaskFailure"],
        "secrets of this server": ["secretsmanager:GetSecretValue"],
        "log of this server": ["logs:PutLogEvents"],
    }


def test_evaluator_reports_a_policy_that_shares_the_partition_of_the_turn(deployment: Stacks) -> None:
    """Show that the evaluator applies conditions and session policies: with other ones, it allows other items."""
    events = next(target for target in TARGETS if target.name == "events and subscriptions of the turn")
    statement = {"Effect": "Allow", "Action": ["dynamodb:PutItem"], "Resource": ["*"]}
    condition = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": [events.partition_key]}}
    shared = {"Statement": [{**statement, "Condition": condition}]}
    assert allowed(events, {"Statement": [statement]}, shared) == ["dynamodb:PutItem"]
    assert allowed(events, role_policy(deployment, "Call"), shared) == []  # the role itself allows RUN# only
    assert allowed(events, {"Statement": [statement]}, session_policy()) == []  # and so does the session policy


def test_table_of_stolen_credentials_in_the_document_is_up_to_date(deployment: Stacks) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text == with_table(text, table(deployment)), "update it: .venv/bin/python -m tests.infra.stolen_credentials"
