"""Items as plain values, and in the form in which DynamoDB speaks of them."""

from collections.abc import Mapping
from typing import Any

Item = dict[str, str | int | bool]
Values = Mapping[str, str | int | bool]


def wire_value(value: str | int | bool) -> dict[str, Any]:  # noqa: FBT001  (a table's value)
    """Return a value in the wire's form."""
    if isinstance(value, bool):
        return {"BOOL": value}
    return {"S": value} if isinstance(value, str) else {"N": str(value)}


def encode(item: Mapping[str, str | int | bool]) -> dict[str, Any]:
    """Return an item in the wire's form."""
    return {name: wire_value(value) for name, value in item.items()}


def _plain(wire: Mapping[str, Any]) -> str | int | bool:
    if "N" in wire:
        return int(wire["N"])
    plain: str | bool = wire["S"] if "S" in wire else wire["BOOL"]
    return plain


def decode(wire: Mapping[str, Any]) -> Item:
    """Return a plain item."""
    return {name: _plain(value) for name, value in wire.items()}
