"""Evaluating an IAM policy as AWS does, as far as ours go: allow statements, wildcards, conditions on all values."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

Context = Mapping[str, Sequence[str]]


def allows(policy: Mapping[str, Any], action: str, resource: str, context: Context | None = None) -> bool:
    """Tell whether a statement allows the action; ``context`` are the values of condition keys. None denies here."""
    assert all(statement["Effect"] == "Allow" for statement in policy["Statement"]), "denials are not known here"
    return any(applies(statement, action, resource, context or {}) for statement in policy["Statement"])


def applies(statement: Mapping[str, Any], action: str, resource: str, context: Context) -> bool:
    """Tell whether a statement is about this."""
    return (
        any(matches(pattern.lower(), action.lower()) for pattern in listed(statement["Action"]))
        and any(matches(pattern, resource) for pattern in listed(statement["Resource"]))
        and all(_holds(operator, keys, context) for operator, keys in statement.get("Condition", {}).items())
    )


def listed(value: str | Sequence[str]) -> Sequence[str]:
    """Return what IAM writes as one text, or as a list."""
    return [value] if isinstance(value, str) else value


def matches(pattern: str, text: str) -> bool:
    """Tell whether a text fits a pattern with IAM's wildcards."""
    parts = (".*" if char == "*" else "." if char == "?" else re.escape(char) for char in pattern)
    return re.fullmatch("".join(parts), text, re.DOTALL) is not None


def _holds(operator: str, keys: Mapping[str, Sequence[str]], context: Context) -> bool:
    """``ForAllValues`` holds where there is no value at all, too."""
    same = {"ForAllValues:StringEquals": str.__eq__, "ForAllValues:StringLike": matches}[operator]
    return all(
        any(same(wanted, value) for wanted in allowed)
        for key, allowed in keys.items()
        for value in context.get(key, ())
    )
