"""Checks of fixed names: a resource outside the deployment has one, or the deployment itself."""

import json
from collections.abc import Callable
from typing import Any

import boto3
import pytest

from local.deploy_check.findings import Level
from tests.integration.deploy_check.conftest import REGION, Find
from tests.integration.deploy_check.recorded_answers import RecordedAnswers

ROLE = "arn:aws:iam::123456789012:role/one"
MACHINE = f"arn:aws:states:{REGION}:123456789012:stateMachine:satchel-turn"
WIDE = f"satchel-service-{REGION}"


def create_function(session: boto3.Session) -> None:
    role = session.client("iam").create_role(RoleName="one", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
    code: Any = {"ImageUri": f"123456789012.dkr.ecr.{REGION}.amazonaws.com/one:1"}
    session.client("lambda").create_function(
        FunctionName="satchel-run-report", Role=role, PackageType="Image", Code=code
    )


def create_machine(session: boto3.Session) -> None:
    definition = json.dumps({"StartAt": "End", "States": {"End": {"Type": "Succeed"}}})
    session.client("stepfunctions").create_state_machine(name="satchel-turn", definition=definition, roleArn=ROLE)


def create_log_group(session: boto3.Session) -> None:
    for end in ("", "-longer"):
        session.client("logs").create_log_group(logGroupName=f"/aws/vendedlogs/states/satchel-turn{end}")


def create_dashboard(session: boto3.Session) -> None:
    session.client("cloudwatch").put_dashboard(DashboardName=WIDE, DashboardBody='{"widgets": []}')


def create_access_control(session: boto3.Session) -> None:
    config = {
        "Name": WIDE,
        "SigningProtocol": "sigv4",
        "SigningBehavior": "always",
        "OriginAccessControlOriginType": "s3",
    }
    session.client("cloudfront").create_origin_access_control(OriginAccessControlConfig=config)


def create_sign_in_page(session: boto3.Session) -> None:
    cognito = session.client("cognito-idp")
    pool = cognito.create_user_pool(PoolName="other")["UserPool"]["Id"]
    cognito.create_user_pool_domain(Domain="satchel-123456789012", UserPoolId=pool)


@pytest.mark.parametrize(
    ("check", "create"),
    [
        ("function names", create_function),
        ("state machine name", create_machine),
        ("log group name", create_log_group),
        ("dashboard name", create_dashboard),
        ("CloudFront access control name", create_access_control),
        ("sign-in page", create_sign_in_page),
    ],
)
def test_name_fails_only_if_another_resource_has_it(
    session: boto3.Session, find: Find, check: str, create: Callable[[boto3.Session], None]
) -> None:
    assert [each.level for each in find(check=check)] == [Level.OK]
    create(session)
    (finding,) = find(check=check)
    assert finding.level is Level.FAILS
    assert "outside the deployment has the name" in finding.text
    assert [each.level for each in find("name=other", check=check)] == [Level.OK]


def test_headers_policy_fails_only_if_its_name_is_taken(answers: RecordedAnswers, find: Find) -> None:
    def give(name: str) -> None:
        policy = {"Id": "one", "LastModifiedTime": "2026-01-01", "ResponseHeadersPolicyConfig": {"Name": name}}
        items = [{"Type": "custom", "ResponseHeadersPolicy": policy}]
        answers.give(
            "ListResponseHeadersPolicies", ResponseHeadersPolicyList={"MaxItems": 1, "Quantity": 1, "Items": items}
        )

    give(WIDE)
    assert [each.level for each in find(check="CloudFront headers policy name")] == [Level.FAILS]
    give(f"{WIDE}-other")
    assert [each.level for each in find(check="CloudFront headers policy name")] == [Level.OK]


@pytest.mark.parametrize(
    ("check", "create", "own"),
    [
        ("function names", create_function, "satchel-run-report"),
        ("state machine name", create_machine, MACHINE),
        ("sign-in page", create_sign_in_page, "satchel-123456789012"),
    ],
)
def test_name_of_the_deployments_own_resource_is_fine(
    session: boto3.Session,
    answers: RecordedAnswers,
    find: Find,
    check: str,
    create: Callable[[boto3.Session], None],
    own: str,
) -> None:
    create(session)
    resource = {"LogicalResourceId": "One", "PhysicalResourceId": own, "ResourceType": "AWS::Any::Type"}
    state = {"ResourceStatus": "UPDATE_COMPLETE", "LastUpdatedTimestamp": "2026-01-01T00:00:00Z"}
    answers.give("ListStackResources", StackResourceSummaries=[{**resource, **state}])
    assert [each.level for each in find(check=check)] == [Level.OK]


def test_sign_in_page_is_not_checked_if_the_deployment_creates_none(session: boto3.Session, find: Find) -> None:
    create_sign_in_page(session)
    assert find("jwt_issuer=https://issuer.example", "jwt_audience=web", check="sign-in page") == []
