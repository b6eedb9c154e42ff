"""Check of the models on Bedrock: the account's access, and whether requests from the region can use them."""

from collections.abc import Iterator

from local.deploy_check.account import Account
from local.deploy_check.findings import Finding, fails, ok, unknown, warning
from local.deploy_check.plan import Plan
from local.deploy_check.reads import GET_INFERENCE_PROFILE, GET_MODEL, GET_MODEL_AVAILABILITY

_GUIDE = "docs/models.md, “Bedrock”"
_CHECKED_ARNS = ("inference-profile/", "foundation-model/")


def check_models(plan: Plan, account: Account) -> Iterator[Finding]:
    """Check each model of the settings that is on Bedrock."""
    for model in plan.settings.allowed_models:
        provider, _, rest = model.partition(":")
        if provider == "bedrock":
            yield from _check_model(account, rest.partition("@http")[0])


def _check_model(account: Account, model_id: str) -> Iterator[Finding]:
    if model_id.startswith("arn:") and not any(kind in model_id for kind in _CHECKED_ARNS):
        yield unknown(f"model {model_id}: access to such models cannot be read", "send it one request before users do")
        return
    base, region = model_id.rpartition("foundation-model/")[2], account.region
    through_profile = False
    if "foundation-model/" not in model_id:
        profile = account.read(GET_INFERENCE_PROFILE, inferenceProfileIdentifier=model_id)
        through_profile = bool(profile)
        if through_profile:
            arns = [each["modelArn"].split(":") for each in profile["models"]]
            region = next((arn[3] for arn in arns if arn[3] == account.region), arns[0][3]) or account.region
            base = arns[0][5].rpartition("/")[2]
    details = account.read(GET_MODEL, region=region, modelIdentifier=base).get("modelDetails", {})
    if not details:
        yield fails(f"{account.region} has no model and no inference profile {model_id}", f"set another one: {_GUIDE}")
        return
    if not through_profile and "ON_DEMAND" not in details.get("inferenceTypesSupported", []):
        yield fails(
            f"model {model_id} cannot be called by its id in {account.region}",
            f"set an inference profile of it: aws bedrock list-inference-profiles --region {account.region}",
        )
    if details.get("modelLifecycle", {}).get("status") == "LEGACY":
        yield warning(f"model {model_id}: its vendor will end it (LEGACY)", "plan the change to a newer model")
    yield _access(model_id, account.read(GET_MODEL_AVAILABILITY, region=region, modelId=base))


def _access(model_id: str, availability: dict[str, str | dict[str, str]]) -> Finding:
    """Return the finding about the access of the account. The parts of the answer name what is missing."""
    agreement = availability.get("agreementAvailability")
    parts = {
        "the region": availability.get("regionAvailability") == "AVAILABLE",
        "the account's entitlement": availability.get("entitlementAvailability") == "AVAILABLE",
        "the authorization": availability.get("authorizationStatus") == "AUTHORIZED",
        "the vendor's agreement": isinstance(agreement, dict) and agreement.get("status") == "AVAILABLE",
    }
    missing = [part for part, available in parts.items() if not available]
    if not missing:
        return ok(f"model {model_id}: the account has access")
    return fails(
        f"model {model_id}: the account has no access yet; missing: {', '.join(missing)}",
        f"send the first request, and the vendor's form if it has one, as an administrator: {_GUIDE}",
    )
