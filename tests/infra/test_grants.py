"""Permissions of a function for each list of models."""

import json
from pathlib import Path
from typing import Any

import pytest

from infra.settings import PROVIDER_SECRETS
from satchel.adapters.llm.model_router import known_providers
from tests.infra.synthesis import SINGLE_CONSTRUCTS

pytestmark = pytest.mark.synth
ARN = "arn:aws:bedrock:eu-central-1:123456789012"
INVOKE = "bedrock:InvokeModelWithResponseStream"


@pytest.fixture(scope="module")
def results(synthesized: Path) -> dict[str, Any]:
    """The results of tests.infra.single_constructs."""
    results: dict[str, Any] = json.loads((synthesized / SINGLE_CONSTRUCTS).read_text())
    return results


@pytest.fixture(scope="module")
def model_statements(results: dict[str, Any]) -> dict[str, Any]:
    """The policy statements for each list of models."""
    statements: dict[str, Any] = results["model_statements"]
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


def test_profile_of_a_new_geography_is_recognized_by_the_vendor(model_statements: dict[str, Any]) -> None:
    assert resources_by_action(model_statements["NewGeography"]) == {
        INVOKE: [
            "arn:Partition:bedrock:*::foundation-model/anthropic.claude-sonnet-5-v1:0",
            "arn:Partition:bedrock:Region:AccountId:inference-profile/mx.anthropic.claude-sonnet-5-v1:0",
        ]
    }


def test_dot_in_the_version_of_a_model_makes_no_profile(model_statements: dict[str, Any]) -> None:
    resources = resources_by_action(model_statements["ModelWithDots"])
    assert resources == {INVOKE: ["arn:Partition:bedrock:Region::foundation-model/zai.glm-4.7"]}


def test_model_that_is_an_arn_is_allowed_as_it_is(model_statements: dict[str, Any]) -> None:
    for name, kind in (("Imported", "imported-model"), ("Provisioned", "provisioned-model")):
        assert resources_by_action(model_statements[name]) == {INVOKE: [f"{ARN}:{kind}/abc123"]}
    assert resources_by_action(model_statements["ArnOfProfile"]) == {
        INVOKE: [
            "arn:Partition:bedrock:*::foundation-model/amazon.nova-lite-v1:0",
            f"{ARN}:inference-profile/eu.amazon.nova-lite-v1:0",
        ]
    }


def test_application_inference_profile_allows_models_only_through_itself(model_statements: dict[str, Any]) -> None:
    profile = f"{ARN}:application-inference-profile/abc123"
    direct, through = model_statements["OwnProfile"]
    assert resources_by_action([direct]) == {INVOKE: [profile]}
    assert resources_by_action([through]) == {INVOKE: ["arn:Partition:bedrock:*::foundation-model/*"]}
    assert through["Condition"] == {"StringEquals": {"bedrock:InferenceProfileArn": [profile]}}


def test_unknown_geography_and_vendor_is_an_error_that_suggests_the_arn(results: dict[str, Any]) -> None:
    message = results["unknown_model_error"]
    assert message.startswith("bedrock:xx.newvendor.model-v1:0: neither the vendor nor the geography 'xx' is known.")
    assert message.endswith("bedrock:arn:…")


def test_list_of_models_over_the_limit_of_variables_is_an_error(results: dict[str, Any]) -> None:
    message = results["too_many_variables_error"]
    assert "Lambda allows 4,096. The largest is SATCHEL_MODELS with" in message
    for function in ("api", "think"):
        assert f"the variables of functions/{function} need" in message
    assert "shorten the setting 'models'" in message


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
