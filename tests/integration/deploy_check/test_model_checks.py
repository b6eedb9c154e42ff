"""Checks of models on Bedrock, with recorded answers: moto knows none of these requests."""

import pytest

from local.deploy_check.findings import Finding, Level
from tests.integration.deploy_check.conftest import REGION, Find
from tests.integration.deploy_check.lines import texts
from tests.integration.deploy_check.recorded_answers import RecordedAnswers

CLAUDE = "anthropic.claude-sonnet-4-5-20250929-v1:0"
PROFILE = f"eu.{CLAUDE}"
ARN = f"arn:aws:bedrock:eu-west-1::foundation-model/{CLAUDE}"


@pytest.fixture
def answers(answers: RecordedAnswers) -> RecordedAnswers:
    """The answers for a model that can only be called through a profile, and to which the account has access."""
    give_model(answers)
    give_access(answers)
    times = {"inferenceProfileName": "EU", "status": "ACTIVE", "type": "SYSTEM_DEFINED"}
    answers.give(
        "GetInferenceProfile",
        **times,
        inferenceProfileArn=f"arn:aws:bedrock:{REGION}:123456789012:inference-profile/{PROFILE}",
        inferenceProfileId=PROFILE,
        models=[{"modelArn": ARN}],
    )
    return answers


def give_model(answers: RecordedAnswers, *, inference: str = "PROVISIONED", status: str = "ACTIVE") -> None:
    details = {"modelArn": ARN, "modelId": CLAUDE, "inferenceTypesSupported": [inference]}
    answers.give("GetFoundationModel", modelDetails={**details, "modelLifecycle": {"status": status}})


def give_access(
    answers: RecordedAnswers,
    *,
    agreement: str = "AVAILABLE",
    authorization: str = "AUTHORIZED",
    entitlement: str = "AVAILABLE",
    region: str = "AVAILABLE",
) -> None:
    answers.give(
        "GetFoundationModelAvailability",
        modelId=CLAUDE,
        agreementAvailability={"status": agreement},
        authorizationStatus=authorization,
        entitlementAvailability=entitlement,
        regionAvailability=region,
    )


def check(find: Find, model_id: str) -> list[Finding]:
    return find(f"model=bedrock:{model_id}", check="models")


def test_model_with_access_through_a_profile_is_fine(find: Find) -> None:
    assert [each.level for each in check(find, PROFILE)] == [Level.OK]


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ({"agreement": "NOT_AVAILABLE"}, "the vendor's agreement"),
        ({"agreement": "PENDING"}, "the vendor's agreement"),
        ({"authorization": "NOT_AUTHORIZED"}, "the authorization"),
        ({"entitlement": "NOT_AVAILABLE", "region": "NOT_AVAILABLE"}, "the region, the account's entitlement"),
    ],
)
def test_model_without_access_fails_with_what_is_missing(
    answers: RecordedAnswers, find: Find, answer: dict[str, str], missing: str
) -> None:
    give_access(answers, **answer)
    assert texts(check(find, PROFILE), Level.FAILS) == [
        f"model {PROFILE}: the account has no access yet; missing: {missing}"
    ]


def test_id_of_a_model_that_needs_a_profile_fails(answers: RecordedAnswers, find: Find) -> None:
    answers.refuse("GetInferenceProfile", "ResourceNotFoundException")
    assert texts(check(find, CLAUDE), Level.FAILS) == [f"model {CLAUDE} cannot be called by its id in {REGION}"]
    give_model(answers, inference="ON_DEMAND")
    assert texts(check(find, CLAUDE), Level.FAILS) == []


def test_model_that_the_region_lacks_fails(answers: RecordedAnswers, find: Find) -> None:
    answers.refuse("GetInferenceProfile", "ResourceNotFoundException")
    answers.refuse("GetFoundationModel", "ResourceNotFoundException")
    (text,) = texts(check(find, "anthropic.claude-2"), Level.FAILS)
    assert text == f"{REGION} has no model and no inference profile anthropic.claude-2"


def test_model_at_the_end_of_its_life_is_a_warning(answers: RecordedAnswers, find: Find) -> None:
    give_model(answers, status="LEGACY")
    assert len(texts(check(find, PROFILE), Level.WARNING)) == 1


def test_imported_model_is_reported_as_not_checked(find: Find) -> None:
    (finding,) = check(find, f"arn:aws:bedrock:{REGION}:123456789012:imported-model/abc")
    assert finding.level is Level.UNKNOWN


def test_models_of_other_providers_are_not_looked_up_in_bedrock(answers: RecordedAnswers, find: Find) -> None:
    assert find("model=anthropic:claude", check="models") == []
    assert "GetFoundationModel" not in answers.sent
