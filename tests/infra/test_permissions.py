"""Permissions of the roles: no wildcard actions, no unlimited resources, secrets only for functions that need them."""

import json
import re

import pytest

from tests.infra.permissions import DOCUMENT, document
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth


def test_no_action_and_no_resource_is_a_wildcard(stacks: Stacks) -> None:
    statements = list(stacks.statements())
    assert len(statements) > 20
    assert [each for each in statements if any("*" in action for action in each.actions)] == []
    everywhere = [each for each in statements if "*" in each.resources]
    # Log deliveries have no resource-level permissions.
    assert [each.role for each in everywhere] == ["TurnMachine"]
    assert all(action.startswith("logs:") for each in everywhere for action in each.actions)


def test_no_role_has_managed_or_inline_policies(stacks: Stacks) -> None:
    roles = stacks.properties("AWS::IAM::Role")
    assert [name for name, role in roles.items() if "ManagedPolicyArns" in role or "Policies" in role] == []


def test_functions_write_only_their_own_logs(stacks: Stacks) -> None:
    logs = {each.role: each.resources for each in stacks.statements() if "logs:PutLogEvents" in each.actions}
    assert logs == {name: [f"{{{name}Log.Arn}}"] for name in stacks.functions()}
    assert {name: f["LoggingConfig"]["LogGroup"] for name, f in stacks.functions().items()} == {
        name: f"{{{name}Log}}" for name in stacks.functions()
    }


def test_signing_keys_are_readable_only_by_functions_that_use_links(stacks: Stacks) -> None:
    readers = {
        each.role: each.resources for each in stacks.statements() if "secretsmanager:GetSecretValue" in each.actions
    }
    assert readers == {role: ["{CapabilityKey}"] for role in ("Api", "Dispatch", "KeyRotationRotate")}


def test_signing_keys_change_only_by_rotation_from_secrets_manager(stacks: Stacks) -> None:
    writers = {each.role for each in stacks.statements() if "secretsmanager:PutSecretValue" in each.actions}
    permissions = stacks.properties("AWS::Lambda::Permission")
    (permission,) = [each for each in permissions.values() if each["FunctionName"] == "{KeyRotationRotate.Arn}"]
    assert writers == {"KeyRotationRotate"}
    assert (permission["Principal"], permission["SourceArn"]) == ("secretsmanager.amazonaws.com", "{CapabilityKey}")
    (schedule,) = stacks.properties("AWS::SecretsManager::RotationSchedule").values()
    assert schedule == {
        "SecretId": "{CapabilityKey}",
        "RotationLambdaARN": "{KeyRotationRotate.Arn}",
        "RotationRules": {"AutomaticallyAfterDays": 30},
    }


def test_only_api_and_expire_may_invoke_erase(stacks: Stacks) -> None:
    callers = {each.role for each in stacks.statements() if "{Erase.Arn}" in each.resources}
    assert callers <= {"Api", "Expire"}
    assert "Api" in callers


def test_api_requests_prompts_through_refresh_and_may_invoke_no_runner(stacks: Stacks) -> None:
    statements = [
        each for each in stacks.statements() if each.role == "Api" and "lambda:InvokeFunction" in each.actions
    ]

    assert [resource for each in statements for resource in each.resources] == [
        "{Think.Arn}",
        "{Erase.Arn}",
        "{EndSession.Arn}",
        "{Refresh.Arn}",
    ]


def test_only_the_api_signs_with_the_key_of_dashboards(stacks: Stacks) -> None:
    signers = {
        each.role: each for each in stacks.statements() if any(action.startswith("kms:") for action in each.actions)
    }
    assert {role: (each.actions, each.resources) for role, each in signers.items()} == {
        "Api": (["kms:Sign", "kms:GetPublicKey"], ["{DashboardKeysKey1.Arn}"])
    }
    (key,) = stacks.properties("AWS::KMS::Key").values()
    assert (key["KeySpec"], key["KeyUsage"]) == ("ECC_NIST_P256", "SIGN_VERIFY")


def test_key_rotation_adds_a_key_and_the_first_of_the_setting_signs(custom_settings: Stacks) -> None:
    assert len(custom_settings.properties("AWS::KMS::Key")) == 2
    variable = custom_settings.environment("Api")["SATCHEL_DASHBOARD_KEYS"]
    assert variable == "{DashboardKeysKey2},{DashboardKeysKey1}"


def test_first_signing_key_is_generated_by_secrets_manager(stacks: Stacks) -> None:
    generation = stacks.properties("AWS::SecretsManager::Secret")["CapabilityKey"]["GenerateSecretString"]
    assert json.loads(generation["SecretStringTemplate"])["newest"] == generation["GenerateStringKey"]
    assert generation["PasswordLength"] >= 64


def test_only_dispatch_and_refresh_may_invoke_runners(stacks: Stacks) -> None:
    runners = {f"{{{name}.Arn}}" for name, f in stacks.functions().items() if "TenancyConfig" in f}
    callers = {each.role for each in stacks.statements() if runners & set(each.resources)}
    assert callers == {"Dispatch", "Refresh"}
    for caller in callers:
        (invoke,) = (e for e in stacks.statements() if e.role == caller and "lambda:InvokeFunction" in e.actions)
        assert set(invoke.resources) == runners


def test_call_role_may_only_write_outputs_and_items_of_calls(stacks: Stacks) -> None:
    objects, items = (each for each in stacks.statements() if each.role == "Call")
    assert objects.actions == ["s3:PutObject", "s3:PutObjectTagging", "s3:AbortMultipartUpload"]
    assert objects.resources == [f"{{Files.Arn}}/*/{kind}/*" for kind in ("artifacts", "deferred", "turns")]
    assert items.actions == ["dynamodb:GetItem", "dynamodb:PutItem"]
    assert items.resources == ["{Records.Arn}"]
    assert items.conditions == {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["RUN#*"]}}


def test_only_dispatch_may_assume_the_call_role(stacks: Stacks) -> None:
    (trust,) = stacks.properties("AWS::IAM::Role")["CallRole"]["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"AWS": "{DispatchRole.Arn}"}
    assert [each.role for each in stacks.statements() if "sts:AssumeRole" in each.actions] == ["Dispatch"]
    assert stacks.environment("Dispatch")["SATCHEL_CALL_ROLE"] == "{CallRole.Arn}"


def test_api_may_write_only_uploads_and_list_their_parts(stacks: Stacks) -> None:
    (writes,) = (each for each in stacks.statements() if each.role == "Api" and "s3:PutObject" in each.actions)
    assert {"s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"} <= set(writes.actions)
    assert writes.resources == ["{Files.Arn}/*/uploads/*"]


def test_no_role_may_scan_the_table(stacks: Stacks) -> None:
    assert not any("dynamodb:Scan" in each.actions for each in stacks.statements())


def test_buckets_and_queues_deny_plain_http(custom_settings: Stacks) -> None:
    policies = custom_settings.properties("AWS::S3::BucketPolicy") | custom_settings.properties("AWS::SQS::QueuePolicy")
    assert policies.keys() == {"FilesPolicy", "FilesLogPolicy", "SiteFilesPolicy", "LostQueuePolicy"}
    for policy in policies.values():
        (deny,) = (each for each in policy["PolicyDocument"]["Statement"] if each["Effect"] == "Deny")
        assert deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


WILDCARD_KINDS = {
    "Api": {"objects", "executions"},
    "Call": {"objects"},
    "Dispatch": {"objects"},
    "EmptiedPageEmpty": {"page"},
    "EndSession": {"objects"},
    "Erase": {"objects", "executions"},
    "Expire": {"executions", "objects"},
    "Finish": {"objects"},
    "PublishPage": {"page"},
    "Push": {"connections", "objects", "streams"},
    "Sockets": {"executions", "objects"},
    "Think": {"connections", "objects"},
    "TurnMachine": {"everything"},
}
_PATTERNS = {
    r"\{Files\.Arn\}/\*/(uploads|artifacts|deferred|turns|turns/\*/texts)/\*": "objects",
    r"\{SiteFiles\.Arn\}/\*": "page",
    r"arn:.*:execution:satchel-turn:\*": "executions",
    r"arn:.*/ws/(POST|DELETE)/@connections/\*": "connections",
    r"\{Records\.Arn\}/stream/\*": "streams",
    r"\*": "everything",
}


def test_wildcard_resources_are_of_the_expected_kind(stacks: Stacks) -> None:
    """The code has a reason for each; without one the synthesis fails (test_checks)."""
    kinds: dict[str, set[str]] = {}
    for statement in stacks.statements():
        for resource in statement.resources:
            if "*" in resource:
                (kind,) = (kind for pattern, kind in _PATTERNS.items() if re.fullmatch(pattern, resource))
                kinds.setdefault(statement.role, set()).add(kind)
    assert kinds == WILDCARD_KINDS


def test_permissions_document_is_up_to_date(stacks: Stacks) -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == document(stacks), (
        "update it: .venv/bin/python -m tests.infra.permissions"
    )
