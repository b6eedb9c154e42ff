"""What a deployment's function may ask, by the names of its models."""

import json
from pathlib import Path
from typing import Any

import pytest

from infra.providers import KEYS
from satchel.adapters.models.asking import known_providers
from tests.infra.synthesis import SINGLE_CONSTRUCTS

pytestmark = pytest.mark.synth


@pytest.fixture(scope="module")
def allowed(synthesised: Path) -> dict[str, Any]:
    """Return what a function may do for each list of models (tests.infra.single_constructs), by the resource."""
    said: dict[str, Any] = json.loads((synthesised / SINGLE_CONSTRUCTS).read_text())["allowed"]
    return said


def resources(statements: list[dict[str, Any]]) -> dict[str, list[str]]:
    told: dict[str, list[str]] = {}
    for statement in statements:
        found = statement["Resource"] if isinstance(statement["Resource"], list) else [statement["Resource"]]
        told[statement["Action"]] = [_plain(one) for one in found]
    return told


def _plain(resource: Any) -> str:  # noqa: ANN401  (a template's value)
    parts = resource["Fn::Join"][1] if isinstance(resource, dict) else [resource]
    return "".join(part if isinstance(part, str) else part["Ref"].removeprefix("AWS::") for part in parts)


def test_a_model_of_bedrock_may_be_asked_in_its_own_region(allowed: dict[str, Any]) -> None:
    assert resources(allowed["Plain"]) == {
        "bedrock:InvokeModelWithResponseStream": [
            "arn:Partition:bedrock:Region::foundation-model/amazon.nova-pro-v1:0",
        ]
    }


def test_a_profile_may_be_asked_and_the_model_behind_it_wherever_it_sends_to(allowed: dict[str, Any]) -> None:
    assert resources(allowed["Profile"]) == {
        "bedrock:InvokeModelWithResponseStream": [
            "arn:Partition:bedrock:*::foundation-model/anthropic.claude-sonnet-5-v1:0",
            "arn:Partition:bedrock:Region:AccountId:inference-profile/us.anthropic.claude-sonnet-5-v1:0",
        ]
    }


def test_of_the_others_the_key_may_be_read_and_nothing_else(allowed: dict[str, Any]) -> None:
    assert resources(allowed["Elsewhere"]) == {
        "secretsmanager:GetSecretValue": [
            "arn:Partition:secretsmanager:Region:AccountId:secret:satchel/ANTHROPIC_API_KEY-??????",
            "arn:Partition:secretsmanager:Region:AccountId:secret:satchel/OPENAI_API_KEY-??????",
        ]
    }


def test_without_a_model_nothing_is_allowed(allowed: dict[str, Any]) -> None:
    assert "Offline" not in allowed


def test_it_is_known_of_each_provider_whether_it_takes_a_key() -> None:
    assert set(known_providers()) == {"bedrock", *KEYS}
