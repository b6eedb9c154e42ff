"""Checks of the region: its services, and what `cdk bootstrap` prepared in it."""

from collections.abc import Iterator

from local.deploy_check.account import Account
from local.deploy_check.findings import Finding, fails, ok, unknown
from local.deploy_check.plan import Plan
from local.deploy_check.reads import DESCRIBE_STACKS, GET_PARAMETERS

BOOTSTRAP_STACK = "CDKToolkit"
MIN_BOOTSTRAP_VERSION = 6
"""The version that CDK writes into the assets of each stack. A test compares them."""
BOOTSTRAP = "npx cdk bootstrap"

_SERVICES = (
    *("apigatewayv2", "cloudformation", "cloudwatch", "dynamodb", "dynamodbstreams", "events", "iam", "kms", "lambda"),
    *("logs", "s3", "secretsmanager", "sqs", "stepfunctions", "sts"),
)
_SERVICES_PER_REQUEST = 10


def check_services(plan: Plan, account: Account) -> Iterator[Finding]:
    """Compare the services that the stacks use with AWS's public list of the services of each region."""
    settings = plan.settings
    needed = [*_SERVICES]
    if settings.jwt_issuer is None:
        needed.append("cognito-idp")
    if any(model.startswith("bedrock:") for model in settings.allowed_models):
        needed.append("bedrock")
    prefix = f"/aws/service/global-infrastructure/regions/{account.region}/services/"
    missing: list[str] = []
    for start in range(0, len(needed), _SERVICES_PER_REQUEST):
        paths = [prefix + name for name in needed[start : start + _SERVICES_PER_REQUEST]]
        missing += account.read(GET_PARAMETERS, Names=paths).get("InvalidParameters", [])
    if len(missing) == len(needed):  # a list without any service says nothing
        yield unknown(f"AWS publishes no list of the services in {account.region}", "check that the region is correct")
    elif missing:
        names = ", ".join(path.removeprefix(prefix) for path in missing)
        yield fails(f"AWS does not list {names} in {account.region}", "deploy to another region")
    else:
        yield ok(f"{account.region} has the {len(needed)} services that the stacks use")


def check_bootstrap(_plan: Plan, account: Account) -> Iterator[Finding]:
    """Look for the stack that `cdk bootstrap` creates, and compare its version with what the templates need."""
    stacks = account.read(DESCRIBE_STACKS, StackName=BOOTSTRAP_STACK).get("Stacks", [])
    if not stacks:
        yield fails(f"{account.region} has no stack {BOOTSTRAP_STACK}, so `cdk deploy` stops at once", BOOTSTRAP)
        return
    outputs = {each["OutputKey"]: each["OutputValue"] for each in stacks[0].get("Outputs", [])}
    version = outputs.get("BootstrapVersion", "0")
    if int(version) < MIN_BOOTSTRAP_VERSION:
        yield fails(
            f"{BOOTSTRAP_STACK} has version {version}; the stacks need {MIN_BOOTSTRAP_VERSION} or newer", BOOTSTRAP
        )
    else:
        yield ok(f"{BOOTSTRAP_STACK} has version {version}")
