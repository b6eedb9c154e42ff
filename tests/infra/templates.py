"""Synthesised templates, made readable: references become text such as ``{Records.Arn}``, without CDK's hashes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Properties = dict[str, Any]

_HASH = re.compile(r"[0-9A-F]{8}$")


def name_of(logical_id: str) -> str:
    return _HASH.sub("", logical_id)


@dataclass(frozen=True)
class Statement:
    """One thing that a role may do, with whom it says it of: the role's name without ``Role``."""

    who: str
    actions: list[str]
    resources: list[str]
    conditions: Properties


@dataclass(frozen=True)
class Stacks:
    """The templates of a deployment; a value that one imports from the other reads as if it were its own."""

    data: Properties
    service: Properties

    def resources(self, kind: str) -> dict[str, Properties]:
        """Return the resources of a type, by readable name, as they are in the template."""
        everything = self.data["Resources"] | self.service["Resources"]
        return {name_of(key): resource for key, resource in everything.items() if resource["Type"] == kind}

    def of_type(self, kind: str) -> dict[str, Properties]:
        """Return the properties of the resources of a type, by readable name, with plain references."""
        return {name: self.plain(resource.get("Properties", {})) for name, resource in self.resources(kind).items()}

    def functions(self) -> dict[str, Properties]:
        return self.of_type("AWS::Lambda::Function")

    def environment(self, function: str) -> dict[str, str]:
        variables: dict[str, str] = self.functions()[function].get("Environment", {}).get("Variables", {})
        return variables

    def folders(self) -> dict[str, str]:
        """Return of each function in which folder of ``functions/`` its handler lies."""
        return {name: each["Description"].removeprefix("functions/") for name, each in self.functions().items()}

    def kind(self, reference: str) -> str | None:
        """Return the type of the resource that a plain reference names, as ``{Records}`` or ``{CallRole.Arn}`` does."""
        name = reference.strip("{}").partition(".")[0]
        everything = self.data["Resources"] | self.service["Resources"]
        return next((each["Type"] for key, each in everything.items() if name_of(key) == name), None)

    def statements(self) -> Iterator[Statement]:
        """Yield every Allow of every role."""
        for policy in self.of_type("AWS::IAM::Policy").values():
            (role,) = policy["Roles"]
            for statement in policy["PolicyDocument"]["Statement"]:
                assert statement["Effect"] == "Allow"
                yield Statement(
                    who=role.strip("{}").removesuffix("Role"),
                    actions=_listed(statement["Action"]),
                    resources=_listed(statement["Resource"]),
                    conditions=statement.get("Condition", {}),
                )

    def plain(self, value: Any) -> Any:  # noqa: ANN401  (JSON in, JSON out)
        """Replace CloudFormation's functions by text."""
        match value:
            case {"Ref": str(target)}:
                plain: Any = f"{{{name_of(target)}}}"
            case {"Fn::GetAtt": [target, attribute]}:
                plain = f"{{{name_of(target)}.{attribute}}}"
            case {"Fn::Join": [separator, parts]}:
                plain = separator.join(self.plain(part) for part in parts)
            case {"Fn::ImportValue": str(export)}:
                plain = self.plain(self.data["Outputs"][export.rpartition(":")[2]]["Value"])
            case dict():
                plain = {key: self.plain(each) for key, each in value.items()}
            case list():
                plain = [self.plain(each) for each in value]
            case _:
                plain = value
        return plain


def _listed(value: Any) -> list[str]:  # noqa: ANN401  (IAM: one text, or a list)
    return [value] if isinstance(value, str) else list(value)
