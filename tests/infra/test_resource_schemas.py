"""The properties of all resources are valid by the provider schemas that CloudFormation itself publishes.

cfn-lint contains the schemas. This test applies them with another validator (jsonschema), without cfn-lint's rules, and
to more deployments than the templates that `make synth` checks.
"""

import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import pytest
from cfnlint.schema import PROVIDER_SCHEMA_MANAGER  # type: ignore[import-untyped]
from jsonschema import Draft7Validator
from jsonschema.exceptions import ValidationError

from tests.infra.templates import Properties, Stacks

pytestmark = pytest.mark.synth
Schema = dict[str, Any]
Walk = Callable[[Properties], None]

REGION = "eu-central-1"


def test_properties_of_every_resource_are_valid_by_its_schema(
    stacks: Stacks,
    custom_settings: Stacks,
    custom_servers: Stacks,
    without_site: Stacks,
    foreign_servers: Stacks,
    with_bridge: Stacks,
) -> None:
    resources = [
        each
        for deployment in (stacks, custom_settings, custom_servers, without_site, foreign_servers, with_bridge)
        for part in (deployment.data, deployment.service)
        for each in part["Resources"].values()
        if each["Type"].startswith("AWS::") and each["Type"] != "AWS::CDK::Metadata"
    ]
    assert len(resources) > 500
    assert len({each["Type"] for each in resources}) > 30
    assert sorted({text for each in resources for text in problems(each["Type"], each.get("Properties", {}))}) == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda each: each.update(Runtimes="python3.11"), "unexpected"),
        (lambda each: each.update(Arn="arn:aws:lambda:r:a:function:f"), "Arn is read-only"),
        (lambda each: each.pop("Role"), "'Role' is a required property"),
        (lambda each: each.update(Runtime="python2.0"), "'python2.0' is not one of"),
        (lambda each: each.update(MemorySize="many"), "is not of type 'integer'"),
        (lambda each: each.update(FunctionName="a b"), "does not match"),
        (lambda each: each["Environment"].update(Values={}), "unexpected"),
    ],
)
def test_each_kind_of_fault_in_a_function_is_found(stacks: Stacks, change: Walk, problem: str) -> None:
    properties = deepcopy(next(iter(stacks.resources("AWS::Lambda::Function").values()))["Properties"])
    assert list(problems("AWS::Lambda::Function", properties)) == []
    change(properties)
    assert any(problem in text for text in problems("AWS::Lambda::Function", properties))


def problems(kind: str, properties: Properties) -> Iterator[str]:
    """Yield what the schema of the type refuses. A part that a CloudFormation function computes is not checked."""
    schema, validator = schema_of(kind)
    for path in schema.get("readOnlyProperties", []):
        parts = path.split("/")[2:]
        if len(parts) == 1 and parts[0] in properties:
            yield f"{kind}: {parts[0]} is read-only"
    for error in validator.iter_errors(properties):
        if not is_computed(error):
            yield f"{kind} {'.'.join(map(str, error.absolute_path))}: {error.message[:200]}"


@cache
def schema_of(kind: str) -> tuple[Schema, Draft7Validator]:
    schema: Schema = without_foreign_patterns(PROVIDER_SCHEMA_MANAGER.get_resource_schema(REGION, kind).schema)
    return schema, Draft7Validator(schema)


def without_foreign_patterns(value: Any) -> Any:  # noqa: ANN401  (JSON)
    """Return the schema without the few patterns that Python cannot read, such as ``\\p{L}``. cfn-lint checks those."""
    if isinstance(value, list):
        return [without_foreign_patterns(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {key: without_foreign_patterns(each) for key, each in value.items() if not is_foreign(key, each)}


def is_foreign(key: str, value: object) -> bool:
    if key != "pattern" or not isinstance(value, str):
        return False
    try:
        re.compile(value)
    except re.error:
        return True
    return False


def is_computed(error: ValidationError) -> bool:
    """Return True if the error concerns a value that CloudFormation computes, such as ``{"Ref": …}``."""
    if is_function(error.instance):
        return True
    return bool(error.context) and any(is_computed(each) for each in error.context or [])


def is_function(value: object) -> bool:
    return isinstance(value, dict) and len(value) == 1 and (next(iter(value)) + "::").startswith(("Ref::", "Fn::"))
