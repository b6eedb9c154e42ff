"""Every change of settings can be deployed: no update needs what CloudFormation refuses."""

import fcntl
import json
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import pytest
from cfnlint.schema import PROVIDER_SCHEMA_MANAGER  # type: ignore[import-untyped]

from infra.settings import Settings
from tests.infra.conftest import run_cdk_program
from tests.infra.setting_changes import CHANGES, MIXES

pytestmark = [pytest.mark.synth, pytest.mark.timeout(900)]
Template = dict[str, Any]

FIXED_NAMES = {
    "AWS::Lambda::Function": "FunctionName",
    "AWS::StepFunctions::StateMachine": "StateMachineName",
    "AWS::Logs::LogGroup": "LogGroupName",
    "AWS::CloudWatch::Dashboard": "DashboardName",
    "AWS::Cognito::UserPoolDomain": "Domain",
    "AWS::Cognito::UserPoolGroup": "GroupName",
}
"""The properties with names that AWS uses as they are, so that two resources cannot have the same."""
PERMANENT = {"AWS::S3::Bucket", "AWS::DynamoDB::Table", "AWS::SecretsManager::Secret", "AWS::Cognito::UserPool"}


class Variant(NamedTuple):
    """The two templates of a deployment. CloudFormation updates the data stack first."""

    data: Template
    service: Template

    def exports(self) -> dict[str, str]:
        """Return the values that the data stack exports, by name."""
        outputs = self.data["Outputs"].values()
        return {each["Export"]["Name"]: json.dumps(each["Value"]) for each in outputs if "Export" in each}

    def imports(self) -> set[str]:
        """Return the names of the exports that the service stack imports."""
        return set(_imports(self.service["Resources"]))


def _imports(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(name := value.get("Fn::ImportValue"), str):
            yield name
        for each in value.values():
            yield from _imports(each)
    if isinstance(value, list):
        for each in value:
            yield from _imports(each)


def _create_only(kind: str) -> set[str]:
    """Return the properties of a type whose change replaces the resource."""
    if not kind.startswith("AWS::"):
        return set()
    schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", kind).schema
    paths = schema.get("createOnlyProperties", [])
    return {path.split("/")[2] for path in paths}


def problems(old: Variant, new: Variant) -> list[str]:
    """Return what CloudFormation would refuse in an update from the old to the new templates."""
    available, before = new.exports(), old.exports()
    found = [
        f"export in use is removed or changed: {name}"
        for name in sorted(old.imports())
        if available.get(name) != before[name]
    ]
    for old_stack, new_stack in zip(old, new, strict=True):
        found += _resource_problems(old_stack["Resources"], new_stack["Resources"])
    return found


def _resource_problems(old: Template, new: Template) -> Iterator[str]:
    owners = {_name(each): key for key, each in old.items() if _name(each)}
    for key, resource in new.items():
        name, kind = _name(resource), resource["Type"]
        if name and owners.get(name, key) != key:
            yield f"{key} is created with the name of {owners[name]}, which is deleted later"
        if key not in old or old[key]["Type"] != kind:
            continue
        before, after = old[key].get("Properties", {}), resource.get("Properties", {})
        changed = {each for each in _create_only(kind) if before.get(each) != after.get(each)}
        if changed and kind in PERMANENT:
            yield f"{key} is replaced: {changed}"
        if changed and name and _name(old[key]) == name:
            yield f"{key} has a fixed name and cannot be replaced: {changed}"


def _name(resource: Template) -> str:
    value = resource.get("Properties", {}).get(FIXED_NAMES.get(resource["Type"], ""))
    return f"{resource['Type']} {json.dumps(value)}" if value else ""


@pytest.fixture(scope="module")
def variants(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> dict[str, Variant]:
    base = tmp_path_factory.getbasetemp()
    file = (base if worker_id == "master" else base.parent) / "setting_changes.json"
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            run_cdk_program("tests.infra.setting_changes", str(file))
    return {name: Variant(*templates) for name, templates in json.loads(file.read_text()).items()}


def test_every_setting_is_changed_but_those_that_make_another_deployment() -> None:
    changed = {key for change in CHANGES.values() for key in change}
    # Another name is another deployment beside the first, and min_isolation has one value that can be deployed.
    assert Settings.model_fields.keys() - changed == {"name", "min_isolation"}
    assert len(CHANGES) >= 40


def test_change_of_one_setting_can_be_deployed_and_taken_back(variants: dict[str, Variant]) -> None:
    default = variants["default"]
    there = {name: problems(default, variants[name]) for name in CHANGES}
    back = {name: problems(variants[name], default) for name in CHANGES}
    assert there == back == {name: [] for name in CHANGES}


def test_change_between_any_two_settings_can_be_deployed(variants: dict[str, Variant]) -> None:
    assert len(variants) == 1 + len(CHANGES) + MIXES
    pairs = [(a, b) for a in sorted(variants) for b in sorted(variants) if a != b]
    chosen = Random(7).sample(pairs, k=400)  # noqa: S311  (no secret)
    mixed = [(a, b) for a, b in pairs if "mix" in a or "mix" in b]
    found = {pair: problems(variants[pair[0]], variants[pair[1]]) for pair in {*chosen, *mixed}}
    assert {pair: each for pair, each in found.items() if each} == {}


def test_removed_export_and_reused_or_fixed_names_are_found(variants: dict[str, Variant]) -> None:
    """The comparison itself: it finds each problem in templates that have it."""
    old = variants["default"]
    used = min(old.imports())
    outputs = {key: each for key, each in old.data["Outputs"].items() if each.get("Export", {}).get("Name") != used}
    assert problems(old, old._replace(data={**old.data, "Outputs": outputs})) == [
        f"export in use is removed or changed: {used}"
    ]
    name: Template = {"FunctionName": "satchel-run-x"}
    runner: Template = {"Type": "AWS::Lambda::Function", "Properties": name}
    tenants = {**runner, "Properties": name | {"TenancyConfig": {"TenantIsolationMode": "PER_TENANT"}}}
    with_runner = old._replace(service={"Resources": {"Run": runner}})
    replaced = problems(with_runner, old._replace(service={"Resources": {"Run": tenants}}))
    assert replaced == ["Run has a fixed name and cannot be replaced: {'TenancyConfig'}"]
    moved = problems(with_runner, old._replace(service={"Resources": {"Other": runner}}))
    assert moved == ["Other is created with the name of Run, which is deleted later"]
