"""JSON Schema by the jsonschema library (draft 2020-12, what MCP means by a schema)."""

from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError

_MOST_PROBLEMS = 10
_MOST_CHARS = 300


class JsonSchemaChecker:
    """Implements ``ports.arguments.ArgumentChecker``."""

    def problems(self, schema: dict[str, Any], arguments: dict[str, Any]) -> list[str]:
        """Return what does not fit, each naming its field."""
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as error:
            return [f"the tool's own schema is broken: {error.message[:_MOST_CHARS]}"]
        found = sorted(
            Draft202012Validator(schema).iter_errors(arguments), key=lambda error: list(map(str, error.path))
        )
        return [_sentence(error) for error in found[:_MOST_PROBLEMS]]


def _sentence(error: ValidationError) -> str:
    field = ".".join(str(part) for part in error.absolute_path)
    message = error.message[:_MOST_CHARS]
    return f"{field}: {message}" if field else message
