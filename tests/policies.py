"""Evaluating an IAM policy as AWS does, as far as ours go: allow statements, wildcards, one kind of condition."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

Context = Mapping[str, Sequence[str]]


def allows(policy: Mapping[str, Any], action: str, resource: str, context: Context | None = None) -> bool:
    """Tell whether a statement allows the action; ``context`` are the values of condition keys. None denies here."""
    assert all(statement["Effect"] == "Allow" for statement in policy["Statement"]), "denials are not known here"
    return any(_applies(statement, action, resource, context or {}) for statement in policy["Statement"])


def _applies(statement: Mapping[str, Any], action: str, resource: str, context: Context) -> bool:
    return (
        any(_matches(pattern.lower(), action.lower()) for pattern in statement["Action"])
        and any(_matches(pattern, resource) for pattern in statement["Resource"])
        and all(_holds(operator, keys, context) for operator, keys in statement.get("Condition", {}).items())
    )


def _matches(pattern: str, text: str) -> bool:
    parts = (".*" if char == "*" else "." if char == "?" else re.escape(char) for char in pattern)
    return re.fullmatch("".join(parts), text, re.DOTALL) is not None


def _holds(operator: str, keys: Mapping[str, Sequence[str]], context: Context) -> bool:
    """``ForAllValues`` holds where there is no value at all, too."""
    assert operator == "ForAllValues:StringEquals", f"{operator} is not known here"
    return all(value in allowed for key, allowed in keys.items() for value in context.get(key, ()))
