"""A short way to add a resource type to moto's CloudFormation: a type name and a function that creates a resource."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, Self

import boto3
from moto.core.common_models import CloudFormationModel

Properties = dict[str, Any]
Client = Callable[[str], Any]
"""A function that returns the boto3 client of a service in the stack's region."""


@dataclass(frozen=True)
class Resource:
    """A created resource: ``id`` is the value of ``Ref``, ``attributes`` those of ``Fn::GetAtt``."""

    id: str
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ResourceType:
    """A type with its function ``create(properties, default_name, client)`` and its ``Fn::GetAtt`` attributes."""

    name: str
    create: Callable[[Properties, str, Client], Resource]
    attributes: Sequence[str] = ()


def placeholder(type_: str, **attributes: str) -> ResourceType:
    """Return a type whose resources exist only as references, because no test uses them.

    ``attributes`` are the values of ``Fn::GetAtt``, in which ``{id}`` is replaced by the value of ``Ref``.
    """

    def create(_properties: Properties, name: str, _client: Client) -> Resource:
        return Resource(name, {key: value.replace("{id}", name) for key, value in attributes.items()})

    return ResourceType(type_, create, tuple(attributes))


def model_of(resource_type: ResourceType) -> type[CloudFormationModel]:
    """Return the model class that moto expects for a type."""

    class Model(CloudFormationModel):
        def __init__(self, resource: Resource) -> None:
            self.type = resource_type.name
            self.physical_resource_id = resource.id
            self._attributes = resource.attributes

        @staticmethod
        def cloudformation_name_type() -> str:
            return ""

        @staticmethod
        def cloudformation_type() -> str:
            return resource_type.name

        @classmethod
        def has_cfn_attr(cls, attr: str) -> bool:
            return attr in resource_type.attributes

        def get_cfn_attribute(self, name: str) -> str:
            return self._attributes[name]

        @classmethod
        def create_from_cloudformation_json(
            cls,
            resource_name: str,
            cloudformation_json: Properties,
            account_id: str,
            region_name: str,
            **_options: object,
        ) -> Self:
            del account_id
            properties = to_parameters(cloudformation_json.get("Properties", {}))
            return cls(
                resource_type.create(properties, resource_name, partial(_client, boto3.DEFAULT_SESSION, region_name))
            )

        @classmethod
        def update_from_cloudformation_json(cls, *_args: object, **_options: object) -> Self:
            raise NotImplementedError(f"{resource_type.name} cannot be updated: create the stack again")

        @classmethod
        def delete_from_cloudformation_json(cls, *_args: object) -> None:
            """Do nothing, because moto discards all of its state at the end."""

        def is_created(self) -> bool:
            return True

    Model.__name__ = resource_type.name.replace("::", "")
    return Model


@cache
def _client(_session: boto3.Session | None, region: str, service: str) -> Any:  # noqa: ANN401  (a boto3 client)
    """Return a cached client for the default session. Each emulated cloud has its own session."""
    return boto3.client(service, region_name=region)  # type: ignore[call-overload]  # any service


def to_parameters(value: Any) -> Any:  # noqa: ANN401  (JSON in, JSON out)
    """Convert CloudFormation properties to boto3 parameters: remove tags and parse booleans.

    The cdk command sends templates with booleans as text.
    """
    match value:
        case dict():
            return {key: to_parameters(each) for key, each in value.items() if key not in {"Tags", "UserPoolTags"}}
        case list():
            return [to_parameters(each) for each in value]
        case "true" | "false":
            return value == "true"
        case _:
            return value
