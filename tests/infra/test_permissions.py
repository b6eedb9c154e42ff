"""Who may do what: nothing by wildcard, nothing to everything, no secret to those who do not sign."""

import json
import re

import pytest

from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth


def test_no_action_and_no_resource_is_a_wildcard(stacks: Stacks) -> None:
    statements = list(stacks.statements())
    assert len(statements) > 20
    assert [each for each in statements if any("*" in action for action in each.actions)] == []
    everywhere = [each for each in statements if "*" in each.resources]
    # Log deliveries have no resources that a policy could name.
    assert [each.who for each in everywhere] == ["TurnMachine"]
    assert all(action.startswith("logs:") for each in everywhere for action in each.actions)


def test_no_role_has_a_policy_of_somebody_elses_making(stacks: Stacks) -> None:
    roles = stacks.of_type("AWS::IAM::Role")
    assert [name for name, role in roles.items() if "ManagedPolicyArns" in role or "Policies" in role] == []


def test_every_function_writes_its_own_log_alone(stacks: Stacks) -> None:
    logs = {each.who: each.resources for each in stacks.statements() if "logs:PutLogEvents" in each.actions}
    assert logs == {name: [f"{{{name}Log.Arn}}"] for name in stacks.functions()}
    assert {name: f["LoggingConfig"]["LogGroup"] for name, f in stacks.functions().items()} == {
        name: f"{{{name}Log}}" for name in stacks.functions()
    }


def test_only_those_who_mint_or_read_links_can_read_the_key(stacks: Stacks) -> None:
    readers = {
        each.who: each.resources for each in stacks.statements() if "secretsmanager:GetSecretValue" in each.actions
    }
    assert readers == {who: ["{CapabilityKey}"] for who in ("Api", "Dispatch", "KeyRotationRotate")}


def test_only_the_rotation_changes_the_key_and_only_for_secrets_manager(stacks: Stacks) -> None:
    writers = {each.who for each in stacks.statements() if "secretsmanager:PutSecretValue" in each.actions}
    permissions = stacks.of_type("AWS::Lambda::Permission")
    (may_call,) = [each for each in permissions.values() if each["FunctionName"] == "{KeyRotationRotate.Arn}"]
    assert writers == {"KeyRotationRotate"}
    assert (may_call["Principal"], may_call["SourceArn"]) == ("secretsmanager.amazonaws.com", "{CapabilityKey}")
    (schedule,) = stacks.of_type("AWS::SecretsManager::RotationSchedule").values()
    assert schedule == {
        "SecretId": "{CapabilityKey}",
        "RotationLambdaARN": "{KeyRotationRotate.Arn}",
        "RotationRules": {"AutomaticallyAfterDays": 30},
    }


def test_nobody_but_those_who_are_asked_to_deletes_everything_of_a_person(stacks: Stacks) -> None:
    callers = {each.who for each in stacks.statements() if "{Erase.Arn}" in each.resources}
    assert callers <= {"Api", "Expire"}
    assert "Api" in callers


def test_the_first_key_is_made_where_nobody_sees_it(stacks: Stacks) -> None:
    made = stacks.of_type("AWS::SecretsManager::Secret")["CapabilityKey"]["GenerateSecretString"]
    assert json.loads(made["SecretStringTemplate"])["newest"] == made["GenerateStringKey"]
    assert made["PasswordLength"] >= 64


def test_only_dispatch_and_who_lists_their_tools_ask_runners_for_something(stacks: Stacks) -> None:
    runners = {f"{{{name}.Arn}}" for name, f in stacks.functions().items() if "TenancyConfig" in f}
    callers = {each.who for each in stacks.statements() if runners & set(each.resources)}
    assert callers == {"Dispatch", "Refresh"}
    for asking in callers:
        (invoke,) = (e for e in stacks.statements() if e.who == asking and "lambda:InvokeFunction" in e.actions)
        assert set(invoke.resources) == runners


def test_the_most_that_a_call_may_do_is_to_write_its_outputs_and_the_items_of_turns(stacks: Stacks) -> None:
    objects, items = (each for each in stacks.statements() if each.who == "Call")
    assert objects.actions == ["s3:PutObject", "s3:PutObjectTagging", "s3:AbortMultipartUpload"]
    assert objects.resources == [f"{{Files.Arn}}/*/{kind}/*" for kind in ("artifacts", "deferred", "turns")]
    assert items.actions == ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"]
    assert items.resources == ["{Records.Arn}"]
    assert items.conditions == {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["TURN#*"]}}


def test_only_dispatch_takes_the_role_of_a_call(stacks: Stacks) -> None:
    (trust,) = stacks.of_type("AWS::IAM::Role")["CallRole"]["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"AWS": "{DispatchRole.Arn}"}
    assert [each.who for each in stacks.statements() if "sts:AssumeRole" in each.actions] == ["Dispatch"]
    assert stacks.environment("Dispatch")["SATCHEL_CALL_ROLE"] == "{CallRole.Arn}"


def test_the_api_signs_uploads_of_people_alone_and_sees_their_parts(stacks: Stacks) -> None:
    (writes,) = (each for each in stacks.statements() if each.who == "Api" and "s3:PutObject" in each.actions)
    assert {"s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"} <= set(writes.actions)
    assert writes.resources == ["{Files.Arn}/*/uploads/*"]


def test_nothing_scans_the_table(stacks: Stacks) -> None:
    assert not any("dynamodb:Scan" in each.actions for each in stacks.statements())


def test_buckets_and_queues_refuse_plain_http(choices: Stacks) -> None:
    policies = choices.of_type("AWS::S3::BucketPolicy") | choices.of_type("AWS::SQS::QueuePolicy")
    assert policies.keys() == {"FilesPolicy", "FilesLogPolicy", "SiteFilesPolicy", "LostQueuePolicy"}
    for policy in policies.values():
        (deny,) = (each for each in policy["PolicyDocument"]["Statement"] if each["Effect"] == "Deny")
        assert deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


WILD = {
    "Api": {"objects", "executions"},
    "Approval": {"objects"},
    "Call": {"objects"},
    "Dispatch": {"objects"},
    "Endsession": {"objects"},
    "Erase": {"objects", "executions"},
    "Expire": {"objects"},
    "Finish": {"objects"},
    "Normalize": {"objects"},
    "PublishPage": {"page"},
    "Push": {"connections", "streams"},
    "Sockets": {"executions", "objects"},
    "Think": {"objects"},
    "TurnMachine": {"everything"},
}
_KINDS = {
    r"\{Files\.Arn\}/\*/(uploads|artifacts|deferred|turns|turns/\*/texts)/\*": "objects",
    r"\{SiteFiles\.Arn\}/\*": "page",
    r"arn:.*:execution:satchel-turn:\*": "executions",
    r"arn:.*/ws/(POST|DELETE)/@connections/\*": "connections",
    r"\{Records\.Arn\}/stream/\*": "streams",
    r"\*": "everything",
}


def test_what_reaches_further_than_one_resource_is_all_of_a_kind(stacks: Stacks) -> None:
    """Each has its reason beside it in the code; without one nothing is synthesised (test_checks)."""
    found: dict[str, set[str]] = {}
    for statement in stacks.statements():
        for resource in statement.resources:
            if "*" in resource:
                (kind,) = (kind for pattern, kind in _KINDS.items() if re.fullmatch(pattern, resource))
                found.setdefault(statement.who, set()).add(kind)
    assert found == WILD
