"""Permissions of a function for each list of models."""

import json
from pathlib import Path
from typing import Any

import pytest

from infra.settings import PROVIDER_SECRETS
from satchel.adapters.llm.model_router import known_providers
from tests.infra.synthesis import SINGLE_CONSTRUCTS

pytestmark = pytest.mark.synth


@pytest.fixture(scope="module")
def model_statements(synthesized: Path) -> dict[str, Any]:
    """The policy statements for each list of models (tests.infra.single_constructs)."""
    statements: dict[str, Any] = json.loads((synthesized / SINGLE_CONSTRUCTS).read_text())["model_statements"]
    return statements


def resources_by_action(statements: list[dict[str, Any]]) -> dict[str, list[str]]:
    result: dict[str, list[str]] = {}
    for statement in statements:
        resource = statement["Resource"]
        result[statement["Action"]] = [_text(each) for each in (resource if isinstance(resource, list) else [resource])]
    return result


def _text(resource: Any) -> str:  # noqa: ANN401  (a template's value)
    parts = resource["Fn::Join"][1] if isinstance(resource, dict) else [resource]
    return "".join(part if isinstance(part, str) else part["Ref"].removeprefix("AWS::") for part in parts)


def test_bedrock_model_is_allowed_in_the_own_region_only(model_statements: dict[str, Any]) -> None:
    assert resources_by_action(model_statements["Plain"]) == {
        "bedrock:InvokeModelWithResponseStream": [
            "arn:Partition:bedrock:Region::foundation-model/amazon.nova-pro-v1:0",
        ]
    }


def test_inference_profile_is_allowed_with_its_model_in_all_regions(model_statements: dict[str, Any]) -> None:
    assert resources_by_action(model_statements["Profile"]) == {
        "bedrock:InvokeModelWithResponseStream": [
            "arn:Partition:bedrock:*::foundation-model/anthropic.claude-sonnet-5-v1:0",
            "arn:Partition:bedrock:Region:AccountId:inference-profile/us.anthropic.claude-sonnet-5-v1:0",
        ]
    }


def test_other_providers_need_only_their_api_keys(model_statements: dict[str, Any]) -> None:
    assert resources_by_action(model_statements["Elsewhere"]) == {
        "secretsmanager:GetSecretValue": [
            "arn:Partition:secretsmanager:Region:AccountId:secret:satchel/ANTHROPIC_API_KEY-??????",
            "arn:Partition:secretsmanager:Region:AccountId:secret:satchel/OPENAI_API_KEY-??????",
        ]
    }


def test_no_model_means_no_permission(model_statements: dict[str, Any]) -> None:
    assert "Offline" not in model_statements


def test_every_known_provider_is_bedrock_or_has_a_secret() -> None:
    assert set(known_providers()) == {"bedrock", *PROVIDER_SECRETS}
