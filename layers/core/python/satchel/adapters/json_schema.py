"""Validates tool arguments with the jsonschema library (draft 2020-12, which is MCP's default)."""

from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable

_MAX_PROBLEMS = 10
_MAX_CHARS = 300
# Schemas are untrusted, so references in a schema must never cause a network request or a file access.
_NO_REFERENCES: Registry[Any] = Registry()
_INVALID_SCHEMA = "the tool's input schema is invalid: "
_TOO_DEEP = "the arguments or the tool's input schema are nested too deeply"


class JsonSchemaChecker:
    """Find problems in tool arguments. Implements ``ports.runners.ArgumentChecker``."""

    def find_problems(self, schema: dict[str, Any], arguments: dict[str, Any]) -> list[str]:
        try:
            Draft202012Validator.check_schema(schema)
            errors = list(Draft202012Validator(schema, registry=_NO_REFERENCES).iter_errors(arguments))
        except SchemaError as error:
            return [_INVALID_SCHEMA + error.message[:_MAX_CHARS]]
        except Unresolvable as error:
            return [_INVALID_SCHEMA + f"it does not define '{error.ref}'"[:_MAX_CHARS]]
        except RecursionError:
            return [_TOO_DEEP]
        by_field = sorted(errors, key=lambda error: list(map(str, error.path)))
        return [_describe(error) for error in by_field[:_MAX_PROBLEMS]]


def _describe(error: ValidationError) -> str:
    field = ".".join(str(part) for part in error.absolute_path)
    message = error.message[:_MAX_CHARS]
    return f"{field}: {message}" if field else message
