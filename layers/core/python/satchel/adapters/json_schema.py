"""JSON Schema by the jsonschema library (draft 2020-12, what MCP means by a schema)."""

from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable

_MAX_PROBLEMS = 10
_MAX_CHARS = 300
# A schema comes from foreign code: no reference in it makes us fetch or read anything.
_NOWHERE: Registry[Any] = Registry()
_BROKEN = "the tool's own schema is broken: "
_TOO_DEEP = "the arguments, or the tool's own schema, are nested too deeply to be checked"


class JsonSchemaChecker:
    """Implements ``ports.arguments.ArgumentChecker``."""

    def problems(self, schema: dict[str, Any], arguments: dict[str, Any]) -> list[str]:
        """Return what does not fit, each naming its field."""
        try:
            Draft202012Validator.check_schema(schema)
            errors = list(Draft202012Validator(schema, registry=_NOWHERE).iter_errors(arguments))
        except SchemaError as error:
            return [_BROKEN + error.message[:_MAX_CHARS]]
        except Unresolvable as error:
            return [_BROKEN + f"'{error.ref}' is not in it"[:_MAX_CHARS]]
        except RecursionError:
            return [_TOO_DEEP]
        found = sorted(errors, key=lambda error: list(map(str, error.path)))
        return [_sentence(error) for error in found[:_MAX_PROBLEMS]]


def _sentence(error: ValidationError) -> str:
    field = ".".join(str(part) for part in error.absolute_path)
    message = error.message[:_MAX_CHARS]
    return f"{field}: {message}" if field else message
