"""As much of JSON Schema as the schemas of these tests have."""

from typing import Any

_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "array": list,
    "object": dict,
    "boolean": bool,
}


class FakeArgumentChecker:
    """Implements ``ports.arguments.ArgumentChecker``: required fields, types of fields, no further fields."""

    def problems(self, schema: dict[str, Any], arguments: dict[str, Any]) -> list[str]:
        fields = schema.get("properties", {})
        missing = [f"{name} is missing" for name in schema.get("required", []) if name not in arguments]
        wrong = [
            f"{name} is no {fields[name]['type']}"
            for name, value in arguments.items()
            if "type" in fields.get(name, {}) and not isinstance(value, _TYPES[fields[name]["type"]])
        ]
        strict = schema.get("additionalProperties") is False
        further = [f"{name} is not expected" for name in arguments if strict and name not in fields]
        return missing + wrong + further
