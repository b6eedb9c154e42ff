"""`satchel deploy-check` knows the names, the bootstrap version and the stacks of the synthesized deployment."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cfnlint.schema import PROVIDER_SCHEMA_MANAGER  # type: ignore[import-untyped]

from infra.settings import Settings
from local.deploy_check.checks.names import sign_in_domain
from local.deploy_check.checks.region import MIN_BOOTSTRAP_VERSION
from local.deploy_check.plan import Plan, account_wide_name
from tests.infra.conftest import read_stacks
from tests.infra.synthesis import CUSTOM_SETTINGS, EXISTING
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth

SETTINGS: dict[str, dict[str, object]] = {
    "default": {},
    "custom_settings": CUSTOM_SETTINGS,
    "without_site": {"site": "none", **EXISTING},
    "custom_servers": {"servers": "custom/servers"},
}
ACCOUNT, REGION = "{AWS::AccountId}", "{AWS::Region}"
WITHIN_ANOTHER = {"AWS::ApiGatewayV2::Stage", "AWS::Cognito::UserPoolGroup", "AWS::Lambda::Alias"}
"""Types whose names must be unique only in another resource of the deployment."""


@pytest.fixture(params=SETTINGS)
def deployment(request: pytest.FixtureRequest, synthesized: Path) -> tuple[Stacks, Plan]:
    settings = SETTINGS[request.param]
    if "servers" in settings:
        settings = {"servers": str(synthesized / str(settings["servers"]))}
    return read_stacks(synthesized / request.param), Plan(Settings.from_context(settings))


def test_fixed_names_in_the_templates_are_those_that_are_checked(deployment: tuple[Stacks, Plan]) -> None:
    stacks, plan = deployment
    wide = account_wide_name(plan, REGION)
    checked = {*plan.runners, plan.machine, plan.log_group, wide}
    if plan.creates_sign_in_page:
        checked.add(sign_in_domain(plan, ACCOUNT))
    assert set(fixed_names(stacks)) | set(cloudfront_names(stacks)) == checked
    assert set(cloudfront_names(stacks)) == (set() if plan.settings.site == "none" else {wide})


def test_state_machine_has_the_checked_arn(deployment: tuple[Stacks, Plan]) -> None:
    stacks, plan = deployment
    (machine,) = stacks.properties("AWS::StepFunctions::StateMachine").values()
    assert machine["StateMachineName"] == plan.machine


def test_assets_need_the_bootstrap_version_that_is_checked(assembly: Path) -> None:
    artifacts = json.loads((assembly / "manifest.json").read_text())["artifacts"].values()
    key = "requiresBootstrapStackVersion"
    versions = {each["properties"][key] for each in artifacts if key in each.get("properties", {})}
    assert versions == {MIN_BOOTSTRAP_VERSION}


def test_stacks_have_the_checked_names(deployment: tuple[Stacks, Plan], synthesized: Path) -> None:
    _, plan = deployment
    folders = [folder for folder in synthesized.iterdir() if (folder / f"{plan.data_stack}.template.json").exists()]
    assert all((folder / f"{plan.service_stack}.template.json").exists() for folder in folders)
    assert folders


def fixed_names(stacks: Stacks) -> Iterator[str]:
    """Yield the names that the templates set and that only a new resource could change."""
    kinds = {each["Type"] for part in (stacks.data, stacks.service) for each in part["Resources"].values()}
    for kind in {kind for kind in kinds if kind.startswith("AWS::") and kind != "AWS::CDK::Metadata"} - WITHIN_ANOTHER:
        schema: dict[str, Any] = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", kind).schema
        create_only = [path.split("/")[2] for path in schema.get("createOnlyProperties", [])]
        names = [each for each in create_only if each.endswith(("Name", "Domain"))]
        for properties in stacks.properties(kind).values():
            values = [str(properties[name]) for name in names if name in properties]
            yield from (value for value in values if not any(map(stacks.type_of, references(value))))


def references(value: str) -> Iterator[str]:
    yield from ("{" + part.partition("}")[0] + "}" for part in value.split("{")[1:])


def cloudfront_names(stacks: Stacks) -> Iterator[str]:
    """Yield the names in CloudFront's configurations, which must be unique although they identify nothing."""
    for properties in stacks.properties("AWS::CloudFront::ResponseHeadersPolicy").values():
        yield properties["ResponseHeadersPolicyConfig"]["Name"]
    for properties in stacks.properties("AWS::CloudFront::OriginAccessControl").values():
        yield properties["OriginAccessControlConfig"]["Name"]
