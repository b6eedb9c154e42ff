from collections.abc import Callable, Iterator
from pathlib import Path

import boto3
import pytest
from moto import mock_aws

from local.deploy_check.account import Account
from local.deploy_check.checks import CHECKS
from local.deploy_check.command import find_all
from local.deploy_check.findings import Finding
from local.deploy_check.plan import read_plan
from tests.integration.deploy_check.recorded_answers import RecordedAnswers

REGION = "eu-central-1"
Find = Callable[..., list[Finding]]


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[boto3.Session]:
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    with mock_aws():
        yield boto3.Session(region_name=REGION)


@pytest.fixture
def answers(session: boto3.Session) -> RecordedAnswers:
    """The answers of an account with the usual quotas, one distribution, and a bootstrap stack."""
    answers = RecordedAnswers(session)
    give_concurrency(answers, 1000)
    answers.give(
        "ListServiceQuotas",
        Quotas=[
            {"QuotaName": "Throttle rate", "Value": 10000.0},
            {"QuotaName": "StartExecution throttle token refill rate per second", "Value": 300.0},
        ],
    )
    return answers


@pytest.fixture
def find(session: boto3.Session, answers: RecordedAnswers, tmp_path: Path) -> Find:
    """Return a function that returns the findings of one check, or of all, for a deployment with these settings."""
    del answers

    def find(*settings: str, check: str | None = None) -> list[Finding]:
        checks = [each for each in CHECKS if check in {None, each.subject}]
        assert checks
        return list(find_all(read_plan(settings, tmp_path, tmp_path), Account(session, REGION), checks))

    return find


def give_concurrency(answers: RecordedAnswers, limit: int, *, unreserved: int | None = None) -> None:
    free = limit if unreserved is None else unreserved
    answers.give(
        "GetAccountSettings",
        AccountLimit={
            "TotalCodeSize": 80_000_000_000,
            "ConcurrentExecutions": limit,
            "UnreservedConcurrentExecutions": free,
        },
        AccountUsage={"TotalCodeSize": 1_000_000_000, "FunctionCount": 3},
    )
