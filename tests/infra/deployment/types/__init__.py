"""Types of CloudFormation that moto does not know, or that need more than it does: one module for each part of AWS.

``install`` makes them known. A type that nobody knows fails by name, where moto would only warn. To add one: a
``Kind`` in the module of its service, which makes it by boto3 where moto has the service, or else ``stands_for``.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from moto.cloudformation import parsing
from moto.cloudformation.custom_model import CustomModel
from moto.core.common_models import CloudFormationModel
from moto.stepfunctions import models as stepfunctions
from moto.stepfunctions.parser.models import stepfunctions_parser_backends

from local.aws.seams.patching import replace
from tests.infra.deployment.types import front, functions, gateways, people, stores
from tests.infra.deployment.types.kind import Kind, model_of

KINDS: tuple[Kind, ...] = (*front.KINDS, *functions.KINDS, *gateways.KINDS, *people.KINDS, *stores.KINDS)

_models: list[type[CloudFormationModel]] = []


class UnknownTypeError(Exception):
    """A template has a type for which there is no model; the text names it."""


@cache
def install() -> None:
    """Patch moto, for good; without it a resource of an unknown type is left out with a warning."""
    _models.extend(model_of(kind) for kind in KINDS)  # moto finds them as subclasses, as long as somebody holds them
    for listing in (parsing.get_model_list, parsing.get_model_map, parsing.get_name_type_map):
        listing.cache_clear()
    replace(parsing, "resource_class_from_type", _known)
    # Machines that CloudFormation makes would go to a back end that executes nothing.
    replace(stepfunctions, "stepfunctions_backends", stepfunctions_parser_backends)


def unknown(template: Mapping[str, Any]) -> set[str]:
    """Return the types of a template that neither moto nor we know."""
    types = {resource["Type"] for resource in template["Resources"].values()}
    return {each for each in types if each not in parsing.get_model_map() and not each.startswith("Custom::")}


def _known(resource_type: str) -> type[CloudFormationModel]:
    if resource_type.startswith("Custom::"):
        return CustomModel
    if resource_type not in parsing.get_model_map():
        raise UnknownTypeError(f"{resource_type}: add it to tests/infra/deployment/types")
    return parsing.get_model_map()[resource_type]
