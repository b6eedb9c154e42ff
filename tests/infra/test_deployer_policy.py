"""docs/deployer-policy.json: the rights that a deployment needs, derived from the templates."""

import json
from fnmatch import fnmatchcase

import pytest

from tests.infra.deployer_policy import DOCUMENT, MAX_POLICY_CHARS, document, needed_actions
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth


@pytest.fixture
def deployments(stacks: Stacks, custom_settings: Stacks, without_site: Stacks, with_bridge: Stacks) -> list[Stacks]:
    return [stacks, custom_settings, without_site, with_bridge]


def test_policy_allows_every_action_that_the_resource_types_need(deployments: list[Stacks]) -> None:
    needed = needed_actions(deployments)
    assert {
        "lambda:CreateFunction",
        "lambda:CreateFunctionUrlConfig",
        "iam:PassRole",
        "cognito-idp:CreateUserPool",
        "s3:DeleteBucket",
    } <= needed
    statements = json.loads(DOCUMENT.read_text(encoding="utf-8"))["Statement"]
    patterns = [pattern.lower() for each in statements for pattern in each["Action"]]
    assert {action for action in needed if not any(fnmatchcase(action.lower(), each) for each in patterns)} == set(), (
        "update it: .venv/bin/python -m tests.infra.deployer_policy"
    )


def test_policy_is_up_to_date_and_fits_into_a_managed_policy(deployments: list[Stacks]) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text == document(deployments), "update it: .venv/bin/python -m tests.infra.deployer_policy"
    assert len(json.dumps(json.loads(text), separators=(",", ":"))) <= MAX_POLICY_CHARS


def test_policy_allows_iam_only_for_roles_of_the_deployment() -> None:
    for each in json.loads(DOCUMENT.read_text(encoding="utf-8"))["Statement"]:
        uses_iam = any(action.startswith("iam:") for action in each["Action"])
        assert (each["Resource"] == "arn:*:iam::*:role/satchel-*") == uses_iam
        assert "iam:*" not in each["Action"]
