"""Evaluation of IAM policies for the features that Satchel uses: Allow, wildcards and `ForAllValues` conditions."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

Context = Mapping[str, Sequence[str]]


def allows(policy: Mapping[str, Any], action: str, resource: str, context: Context | None = None) -> bool:
    """Return True if a statement allows the action. ``context`` has the condition keys' values. Deny is unsupported."""
    assert all(statement["Effect"] == "Allow" for statement in policy["Statement"]), "Deny statements are not supported"
    return any(is_applicable(statement, action, resource, context or {}) for statement in policy["Statement"])


def is_applicable(statement: Mapping[str, Any], action: str, resource: str, context: Context) -> bool:
    """Return True if the action, the resource and all conditions of a statement match."""
    return (
        any(matches(pattern.lower(), action.lower()) for pattern in as_list(statement["Action"]))
        and any(matches(pattern, resource) for pattern in as_list(statement["Resource"]))
        and all(_is_satisfied(operator, keys, context) for operator, keys in statement.get("Condition", {}).items())
    )


def as_list(value: str | Sequence[str]) -> Sequence[str]:
    """Return the value as a list. IAM allows a single string in its place."""
    return [value] if isinstance(value, str) else value


def matches(pattern: str, text: str) -> bool:
    """Return True if the text matches a pattern with IAM's wildcards."""
    parts = (".*" if char == "*" else "." if char == "?" else re.escape(char) for char in pattern)
    return re.fullmatch("".join(parts), text, re.DOTALL) is not None


def _is_satisfied(operator: str, keys: Mapping[str, Sequence[str]], context: Context) -> bool:
    """Return True if all values match. Without any value, ``ForAllValues`` is satisfied."""
    is_match = {"ForAllValues:StringEquals": str.__eq__, "ForAllValues:StringLike": matches}[operator]
    return all(
        any(is_match(pattern, value) for pattern in patterns)
        for key, patterns in keys.items()
        for value in context.get(key, ())
    )
