"""What a type of CloudFormation is to moto, said in a line."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, Self

import boto3
from moto.core.common_models import CloudFormationModel

Properties = dict[str, Any]
Client = Callable[[str], Any]
"""Makes a boto3 client for a service, in the stack's region."""


@dataclass(frozen=True)
class Made:
    """A resource: what ``Ref`` gives, and what ``Fn::GetAtt`` does."""

    id: str
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Kind:
    """A type, and how one of it is made of its properties and the name that CloudFormation would give it."""

    type: str
    make: Callable[[Properties, str, Client], Made]
    attributes: Sequence[str] = ()


def stands_for(type_: str, **attributes: str) -> Kind:
    """Return a type that does nothing here: nobody looks at it, others only name it.

    ``attributes`` are what ``Fn::GetAtt`` gives, in which ``{id}`` stands for what ``Ref`` gives.
    """

    def make(_properties: Properties, name: str, _client: Client) -> Made:
        return Made(name, {key: value.replace("{id}", name) for key, value in attributes.items()})

    return Kind(type_, make, tuple(attributes))


def model_of(kind: Kind) -> type[CloudFormationModel]:
    """Return moto's way to say so."""

    class Model(CloudFormationModel):
        def __init__(self, made: Made) -> None:
            self.type = kind.type
            self.physical_resource_id = made.id
            self._attributes = made.attributes

        @staticmethod
        def cloudformation_name_type() -> str:
            return ""

        @staticmethod
        def cloudformation_type() -> str:
            return kind.type

        @classmethod
        def has_cfn_attr(cls, attr: str) -> bool:
            return attr in kind.attributes

        def get_cfn_attribute(self, name: str) -> str:
            return self._attributes[name]

        @classmethod
        def create_from_cloudformation_json(
            cls,
            resource_name: str,
            cloudformation_json: Properties,
            account_id: str,
            region_name: str,
            **_more: object,
        ) -> Self:
            del account_id
            properties = plain(cloudformation_json.get("Properties", {}))
            return cls(kind.make(properties, resource_name, partial(_client, boto3.DEFAULT_SESSION, region_name)))

        @classmethod
        def update_from_cloudformation_json(cls, *_given: object, **_more: object) -> Self:
            raise NotImplementedError(f"{kind.type} is not changed here: create the stack anew")

        @classmethod
        def delete_from_cloudformation_json(cls, *_given: object) -> None:
            """Nothing is left over: the cloud is forgotten as a whole."""

        def is_created(self) -> bool:
            return True

    Model.__name__ = kind.type.replace("::", "")
    return Model


@cache
def _client(_session: boto3.Session | None, region: str, service: str) -> Any:  # noqa: ANN401  (a boto3 client)
    """Make a service's client once for the default session, which is another one with each cloud."""
    return boto3.client(service, region_name=region)  # type: ignore[call-overload]  # any service


def plain(value: Any) -> Any:  # noqa: ANN401  (JSON in, JSON out)
    """Make of CloudFormation's properties what boto3 takes: no tags, and truth and numbers as what they are.

    The command line tool sends templates in which they are text.
    """
    match value:
        case dict():
            return {key: plain(each) for key, each in value.items() if key not in {"Tags", "UserPoolTags"}}
        case list():
            return [plain(each) for each in value]
        case "true" | "false":
            return value == "true"
        case _:
            return value
