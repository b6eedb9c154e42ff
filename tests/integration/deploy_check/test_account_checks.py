"""Checks of the account and the region: services, bootstrap stack, stacks, quotas, CloudFront and certificate."""

import json
from typing import Any

import boto3
import pytest

from local.deploy_check.findings import Level
from tests.integration.deploy_check.conftest import REGION, Find, give_concurrency
from tests.integration.deploy_check.lines import about, texts
from tests.integration.deploy_check.recorded_answers import RecordedAnswers

CERTIFICATE = "arn:aws:acm:us-east-1:123456789012:certificate/one"
DOMAIN = ("domain=chat.example.com", f"certificate_arn={CERTIFICATE}")


def create_stack(session: boto3.Session, name: str, outputs: dict[str, Any] | None = None) -> None:
    template = {"Resources": {"Queue": {"Type": "AWS::SQS::Queue"}}, "Outputs": outputs or {}}
    session.client("cloudformation").create_stack(StackName=name, TemplateBody=json.dumps(template))


def give_stack(answers: RecordedAnswers, status: str) -> None:
    stack = {"StackName": "satchel-service", "StackStatus": status, "CreationTime": "2026-01-01T00:00:00Z"}
    answers.give("DescribeStacks", Stacks=[{**stack, "Outputs": []}])


def test_prepared_account_has_nothing_that_fails(session: boto3.Session, find: Find) -> None:
    create_stack(session, "CDKToolkit", {"BootstrapVersion": {"Value": "30"}})
    findings = find("site=none")
    assert [each for each in findings if each.level is not Level.OK] == []
    assert "CDKToolkit has version 30" in texts(findings, Level.OK)
    assert "eu-central-1 has the 16 services that the stacks use" in texts(findings, Level.OK)


def test_missing_bootstrap_stack_fails_with_the_command_that_creates_it(find: Find) -> None:
    finding = about(find(check="bootstrap stack"), "CDKToolkit")
    assert (finding.level, finding.action) == (Level.FAILS, "npx cdk bootstrap")


def test_old_bootstrap_stack_fails(session: boto3.Session, find: Find) -> None:
    create_stack(session, "CDKToolkit", {"BootstrapVersion": {"Value": "5"}})
    assert (
        about(find(check="bootstrap stack"), "CDKToolkit").text
        == "CDKToolkit has version 5; the stacks need 6 or newer"
    )


def test_service_that_the_region_lacks_fails(answers: RecordedAnswers, find: Find) -> None:
    path = f"/aws/service/global-infrastructure/regions/{REGION}/services/stepfunctions"
    answers.give("GetParameters", Parameters=[], InvalidParameters=[path])
    assert "stepfunctions" in texts(find(check="services of the region"), Level.FAILS)[0]


def test_region_without_any_listed_service_is_not_checked(answers: RecordedAnswers, find: Find) -> None:
    paths = [f"/aws/service/global-infrastructure/regions/{REGION}/services/{number}" for number in range(8)]
    answers.give("GetParameters", Parameters=[], InvalidParameters=paths)
    assert [each.level for each in find(check="services of the region")] == [Level.UNKNOWN]


@pytest.mark.parametrize(
    ("status", "action"),
    [
        ("ROLLBACK_COMPLETE", "delete-stack --stack-name satchel-service"),
        ("DELETE_FAILED", "delete-stack --stack-name satchel-service"),
        ("UPDATE_ROLLBACK_FAILED", "continue-update-rollback --stack-name satchel-service"),
        ("UPDATE_IN_PROGRESS", "wait"),
    ],
)
def test_stack_that_cannot_be_updated_fails_with_the_way_out(
    answers: RecordedAnswers, find: Find, status: str, action: str
) -> None:
    give_stack(answers, status)
    finding = about(find(check="stacks"), f"stack satchel-service is in {status}")
    assert finding.level is Level.FAILS
    assert action in finding.action


@pytest.mark.parametrize("status", ["CREATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"])
def test_complete_stack_can_be_updated(answers: RecordedAnswers, find: Find, status: str) -> None:
    give_stack(answers, status)
    assert f"stack satchel-service can be updated ({status})" in texts(find(check="stacks"), Level.OK)


def test_new_account_is_warned_of_its_concurrency_in_users(answers: RecordedAnswers, find: Find) -> None:
    give_concurrency(answers, 10)
    finding = about(find(check="Lambda concurrency"), "functions can run at the same time")
    assert finding.level is Level.WARNING
    assert "about 3 turns with tools; 25 environments of tenants: 6 active users of all 4 servers" in finding.text
    assert "--quota-code L-B99A9384" in finding.action


def test_reservation_fails_if_the_rest_is_below_lambdas_minimum(answers: RecordedAnswers, find: Find) -> None:
    give_concurrency(answers, 1000)
    assert (
        about(find("reserved_concurrency=api=500,run_tool=100", check="reserved concurrency"), "reserve").level
        is Level.OK
    )
    finding = about(find("reserved_concurrency=api=501,run_tool=100", check="reserved concurrency"), "reserve")
    assert (finding.level, finding.text) == (
        Level.FAILS,
        "the settings reserve a concurrency of 901; 900 can be reserved",
    )


def test_reservations_of_the_deployment_itself_count_as_free(
    session: boto3.Session, answers: RecordedAnswers, find: Find
) -> None:
    create_stack(session, "satchel-service")
    give_concurrency(answers, 1000, unreserved=100)
    function = {"PhysicalResourceId": "satchel-service-Api", "ResourceType": "AWS::Lambda::Function"}
    times = {"LogicalResourceId": "Api", "LastUpdatedTimestamp": "2026-01-01T00:00:00Z"}
    answers.give(
        "ListStackResources", StackResourceSummaries=[{**function, **times, "ResourceStatus": "CREATE_COMPLETE"}]
    )
    answers.give("GetFunctionConcurrency", ReservedConcurrentExecutions=900)
    assert about(find("reserved_concurrency=api=900", check="reserved concurrency"), "reserve").level is Level.OK


def test_full_code_storage_fails(answers: RecordedAnswers, find: Find) -> None:
    limits = {"TotalCodeSize": 80_000_000_000, "ConcurrentExecutions": 1000, "UnreservedConcurrentExecutions": 900}
    answers.give("GetAccountSettings", AccountLimit=limits, AccountUsage={"TotalCodeSize": 79_600_000_000})
    assert about(find(check="Lambda code storage"), "code storage").level is Level.FAILS


def test_request_rate_above_the_quota_is_a_warning(answers: RecordedAnswers, find: Find) -> None:
    answers.give("ListServiceQuotas", Quotas=[{"QuotaName": "Throttle rate", "Value": 500.0}])
    finding = about(find(check="API Gateway quota"), "requests a second")
    assert finding.level is Level.WARNING
    assert about(find("requests_per_second=500", check="API Gateway quota"), "requests a second").level is Level.OK


def test_quota_of_step_functions_is_reported(find: Find) -> None:
    assert "refill rate per second: 300" in about(find(check="Step Functions quota"), "Step Functions").text


def test_account_without_distributions_is_warned_of_verification(find: Find) -> None:
    finding = about(find(check="CloudFront"), "no CloudFront distribution")
    assert finding.level is Level.WARNING
    assert "site=none" in finding.action
    assert [each for each in find("site=none", check="CloudFront") if "CloudFront" in each.text] == []


def test_domain_of_another_distribution_fails(session: boto3.Session, find: Find) -> None:
    create_distribution(session, "chat.example.com")
    findings = find(*DOMAIN, check="CloudFront")
    assert about(findings, "the account can use CloudFront").level is Level.OK
    assert about(findings, "already has the domain chat.example.com").level is Level.FAILS


@pytest.mark.parametrize(
    ("status", "names", "level"),
    [
        ("ISSUED", ["chat.example.com"], Level.OK),
        ("ISSUED", ["*.example.com"], Level.OK),
        ("ISSUED", ["example.com"], Level.FAILS),
        ("PENDING_VALIDATION", ["chat.example.com"], Level.FAILS),
    ],
)
def test_certificate_must_be_issued_and_cover_the_domain(
    answers: RecordedAnswers, find: Find, status: str, names: list[str], level: Level
) -> None:
    answers.give("DescribeCertificate", Certificate={"Status": status, "SubjectAlternativeNames": names})
    assert about(find(*DOMAIN, check="certificate"), "certificate").level is level


def test_certificate_that_does_not_exist_fails(find: Find) -> None:
    assert (
        about(find(*DOMAIN, check="certificate"), f"the certificate {CERTIFICATE} does not exist").level is Level.FAILS
    )


def create_distribution(session: boto3.Session, domain: str) -> None:
    session.client("cloudfront").create_distribution(
        DistributionConfig={
            "CallerReference": "one",
            "Aliases": {"Quantity": 1, "Items": [domain]},
            "Origins": {
                "Quantity": 1,
                "Items": [
                    {"Id": "o", "DomainName": "b.s3.amazonaws.com", "S3OriginConfig": {"OriginAccessIdentity": ""}}
                ],
            },
            "DefaultCacheBehavior": {
                "TargetOriginId": "o",
                "ViewerProtocolPolicy": "allow-all",
                "MinTTL": 0,
                "ForwardedValues": {"QueryString": False, "Cookies": {"Forward": "none"}},
            },
            "Comment": "",
            "Enabled": True,
        }
    )
