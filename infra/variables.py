"""Check the size of the functions' environment variables, which Lambda limits, before a deployment fails there."""

from collections.abc import Iterator, Mapping
from typing import Any

MAX_BYTES = 4096
_MAX_TOKEN_BYTES = 150  # an ARN of a function or a secret, whose names CloudFormation generates
_PSEUDO_PARAMETERS = {"AWS::AccountId": 12, "AWS::Partition": 10, "AWS::Region": 14, "AWS::URLSuffix": 20}


class VariablesTooLargeError(ValueError):
    """Functions have more variables than Lambda allows. The message names each function and its largest variable."""


def check_variables(template: Mapping[str, Any]) -> None:
    """Raise VariablesTooLargeError if a function of the template can exceed Lambda's limit."""
    if problems := list(_problems(template)):
        raise VariablesTooLargeError("\n".join(problems))


def _problems(template: Mapping[str, Any]) -> Iterator[str]:
    for resource in template["Resources"].values():
        properties = resource.get("Properties", {})
        variables = properties.get("Environment", {}).get("Variables", {})
        sizes = {name: len(name) + value_size(value) for name, value in variables.items()}
        if resource["Type"] == "AWS::Lambda::Function" and sum(sizes.values()) > MAX_BYTES:
            name, size = max(sizes.items(), key=lambda item: item[1])
            yield (
                f"the variables of {properties['Description']} need {sum(sizes.values()):,} bytes, and Lambda allows "
                f"{MAX_BYTES:,}. The largest is {name} with {size:,}: shorten the setting "
                f"{name.removeprefix('SATCHEL_').lower()!r}"
            )


def value_size(value: object) -> int:
    """Return the size of a variable's value in bytes, with the maximum for each value that only AWS knows."""
    match value:
        case str():
            return len(value.encode())
        case {"Fn::Join": [str(separator), list(parts)]}:
            return sum(map(value_size, parts)) + len(separator) * (len(parts) - 1)
        case {"Ref": str(name)} if name in _PSEUDO_PARAMETERS:
            return _PSEUDO_PARAMETERS[name]
        case _:
            return _MAX_TOKEN_BYTES
