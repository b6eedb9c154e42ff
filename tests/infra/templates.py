"""Synthesized templates in readable form: references become text such as ``{Records.Arn}``, without CDK's hashes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Properties = dict[str, Any]

_HASH = re.compile(r"[0-9A-F]{8}$")


def name_of(logical_id: str) -> str:
    """Return the logical id without the hash that CDK appends."""
    return _HASH.sub("", logical_id)


@dataclass(frozen=True)
class Statement:
    """A policy statement that allows actions, and its ``role`` (the name without the suffix ``Role``)."""

    role: str
    actions: list[str]
    resources: list[str]
    conditions: Properties


@dataclass(frozen=True)
class Stacks:
    """The templates of a deployment. A value that one imports from the other is shown like its own."""

    data: Properties
    service: Properties

    def resources(self, kind: str) -> dict[str, Properties]:
        """Return the resources of a type by readable name, as in the template."""
        everything = self.data["Resources"] | self.service["Resources"]
        return {name_of(key): resource for key, resource in everything.items() if resource["Type"] == kind}

    def properties(self, kind: str) -> dict[str, Properties]:
        """Return the properties of the resources of a type by readable name, with references as text."""
        return {
            name: self.with_text_references(resource.get("Properties", {}))
            for name, resource in self.resources(kind).items()
        }

    def functions(self) -> dict[str, Properties]:
        return self.properties("AWS::Lambda::Function")

    def environment(self, function: str) -> dict[str, str]:
        variables: dict[str, str] = self.functions()[function].get("Environment", {}).get("Variables", {})
        return variables

    def folders(self) -> dict[str, str]:
        """Return the folder in ``functions/`` of each function."""
        return {name: each["Description"].removeprefix("functions/") for name, each in self.functions().items()}

    def type_of(self, reference: str) -> str | None:
        """Return the type of the resource that a text reference names, such as ``{Records}`` or ``{CallRole.Arn}``."""
        name = reference.strip("{}").partition(".")[0]
        everything = self.data["Resources"] | self.service["Resources"]
        return next((each["Type"] for key, each in everything.items() if name_of(key) == name), None)

    def statements(self) -> Iterator[Statement]:
        """Yield all statements of all roles. Each must be an Allow."""
        for policy in self.properties("AWS::IAM::Policy").values():
            (role,) = policy["Roles"]
            for statement in policy["PolicyDocument"]["Statement"]:
                assert statement["Effect"] == "Allow"
                yield Statement(
                    role=role.strip("{}").removesuffix("Role"),
                    actions=_listed(statement["Action"]),
                    resources=_listed(statement["Resource"]),
                    conditions=statement.get("Condition", {}),
                )

    def with_text_references(self, value: Any) -> Any:  # noqa: ANN401  (JSON in, JSON out)
        """Replace CloudFormation functions by text."""
        match value:
            case {"Ref": str(target)}:
                text: Any = f"{{{name_of(target)}}}"
            case {"Fn::GetAtt": [target, attribute]}:
                text = f"{{{name_of(target)}.{attribute}}}"
            case {"Fn::Join": [separator, parts]}:
                text = separator.join(self.with_text_references(part) for part in parts)
            case {"Fn::ImportValue": str(export)}:
                text = self.with_text_references(self.data["Outputs"][export.rpartition(":")[2]]["Value"])
            case dict():
                text = {key: self.with_text_references(each) for key, each in value.items()}
            case list():
                text = [self.with_text_references(each) for each in value]
            case _:
                text = value
        return text


def _listed(value: Any) -> list[str]:  # noqa: ANN401  (IAM: one text, or a list)
    return [value] if isinstance(value, str) else list(value)
