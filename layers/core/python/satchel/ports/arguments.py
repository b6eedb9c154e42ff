"""Checking arguments against a tool's schema."""

from typing import Any, Protocol


class ArgumentChecker(Protocol):
    """Knows JSON Schema."""

    def problems(self, schema: dict[str, Any], arguments: dict[str, Any]) -> list[str]:
        """Return what does not fit, each naming its field; empty when all fits."""
        ...
