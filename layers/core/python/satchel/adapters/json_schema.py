"""Validates tool arguments and structured results with the jsonschema library (draft 2020-12, which is MCP's default).

Schemas and arguments are untrusted: a small schema can demand hours of work, for example with a slow regular expression
or with definitions that each apply the next one twice. So each check has a budget. If a check exceeds it, the call
continues, and only the server checks the arguments. Keywords that are not in ``_VALUE_TYPES`` are never checked here.
"""

from collections.abc import Iterator
from contextvars import ContextVar
from functools import partial
from typing import Any
from urllib.parse import unquote

from jsonschema import Draft202012Validator
from jsonschema.exceptions import UnknownType, ValidationError
from jsonschema.validators import create

_MAX_PROBLEMS = 10
_MAX_CHARS = 300
_MAX_WORK = 10_000
"""Maximum work of one check, in visited keywords and compared values. This much takes 0.05 to 0.2 s of CPU time."""

_MAX_DEPTH = 150
"""Maximum number of keywords inside of each other, 3 to 4 stack frames each.

At the interpreter's own limit, a library in Rust that jsonschema uses would panic, which is no RecursionError.
"""

_CHARS_PER_UNIT = 100  # a long value takes work too, because error messages repeat it
_INVALID_SCHEMA = "the tool's schema is invalid: "
_TOO_DEEP = "the value or the tool's schema is nested too deeply"

_SCHEMA, _NUMBER = (dict, bool), (int, float)
_VALUE_TYPES: dict[str, tuple[type, ...]] = {
    "$ref": (str,),
    "type": (str, list),
    "const": (object,),
    **dict.fromkeys(["properties", "dependentSchemas", "dependentRequired"], (dict,)),
    **dict.fromkeys(["additionalProperties", "propertyNames", "items", "contains", "not", "if"], _SCHEMA),
    **dict.fromkeys(["allOf", "anyOf", "oneOf", "prefixItems", "enum", "required"], (list,)),
    **dict.fromkeys(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"], _NUMBER),
    **dict.fromkeys(["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"], _NUMBER),
}
"""The checked keywords with the types of their values.

Not checked: ``pattern`` and ``patternProperties`` (Python's regular expressions can take exponential time),
``uniqueItems`` (quadratic) and ``unevaluated…`` (their work cannot be counted).
"""

_COMPARED = {"const", "enum", "required", "dependentRequired"}  # keywords whose whole value is compared


class _TooMuchWorkError(Exception):
    pass


class _InvalidSchemaError(Exception):
    pass


class JsonSchemaChecker:
    """Find problems in tool arguments and results. Implements ``ports.runners.SchemaChecker``."""

    def find_problems(self, schema: dict[str, Any], value: dict[str, Any]) -> list[str]:
        token = _budget.set(_Budget(schema))
        try:
            errors = list(_BoundedValidator(schema).iter_errors(value))
        except (_TooMuchWorkError, ArithmeticError):  # 10**400 overflows for a "multipleOf" of 0.1
            return []
        except _InvalidSchemaError as error:
            return [_INVALID_SCHEMA + str(error)[:_MAX_CHARS]]
        except UnknownType as error:
            return [_INVALID_SCHEMA + f"unknown type {error.type!r}"[:_MAX_CHARS]]
        except RecursionError:
            return [_TOO_DEEP]
        except (TypeError, AttributeError, ValueError) as error:
            # An invalid schema causes these errors. Checking each schema first is too slow: 0.4 s for 1,000 properties.
            return [_INVALID_SCHEMA + str(error)[:_MAX_CHARS]]
        finally:
            _budget.reset(token)
        by_field = sorted(errors, key=lambda error: list(map(str, error.path)))
        return [_describe(error) for error in by_field[:_MAX_PROBLEMS]]


class _Budget:
    """The amount of work that one check of arguments may still do."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema
        self.depth = 0
        self._left = _MAX_WORK

    def spend(self, units: int) -> None:
        """Subtract ``units`` from the budget. Raise _TooMuchWorkError if the budget is used up."""
        self._left -= units
        if self._left < 0:
            raise _TooMuchWorkError

    def spend_for(self, value: object) -> None:
        """Spend one unit for each value and each 100 characters in a JSON value."""
        waiting = [value]
        while waiting:
            part = waiting.pop()
            self.spend(1 + (len(part) // _CHARS_PER_UNIT if isinstance(part, str) else 0))
            if isinstance(part, dict):
                waiting += part.values()
            elif isinstance(part, list):
                waiting += part


_budget: ContextVar[_Budget] = ContextVar("_budget")


def _apply(name: str, validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:  # noqa: ANN401
    """Yield a keyword's errors, and count its work. Raise _InvalidSchemaError if its value has a wrong type."""
    if not isinstance(value, _VALUE_TYPES[name]):
        raise _InvalidSchemaError(f"the value of '{name}' has the wrong type")
    budget = _budget.get()
    budget.spend(1 + _length(value) + _length(instance))
    if name in _COMPARED:
        budget.spend_for(value)
        budget.spend_for(instance)
    if name == "additionalProperties" and "patternProperties" in schema:
        return  # regular expressions, which are not checked, decide which properties are additional
    if budget.depth == _MAX_DEPTH:
        raise RecursionError
    budget.depth += 1
    try:
        for error in _KEYWORDS[name](validator, value, instance, schema) or ():
            budget.spend(len(error.message) // _CHARS_PER_UNIT)
            yield error
    finally:
        budget.depth -= 1


def _length(value: object) -> int:
    return len(value) if isinstance(value, dict | list) else 0


def _reference(validator: Any, reference: str, instance: Any, _schema: Any) -> Iterator[ValidationError]:  # noqa: ANN401
    """Apply the definition that a ``$ref`` names. Allows no other schemas, because loading them would send requests."""
    target: Any = _budget.get().schema
    if not (reference == "#" or reference.startswith("#/")):
        raise _InvalidSchemaError(f"it does not define '{reference}'")
    for part in reference.split("/")[1:]:
        _budget.get().spend(1)
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        try:
            target = target[int(key) if isinstance(target, list) else key]
        except (LookupError, TypeError, ValueError):
            raise _InvalidSchemaError(f"it does not define '{reference}'") from None
    yield from validator.descend(instance, target)


def _required(validator: Any, required: list[Any], instance: Any, schema: Any) -> Iterator[ValidationError]:  # noqa: ANN401
    """Demand properties without a default only. Many libraries list those with one, too, which the server fills in."""
    properties = schema.get("properties")
    described = properties if isinstance(properties, dict) else {}
    demanded = [name for name in required if not _has_default(described.get(name) if isinstance(name, str) else None)]
    yield from Draft202012Validator.VALIDATORS["required"](validator, demanded, instance, schema) or ()


def _has_default(schema: object) -> bool:
    return isinstance(schema, dict) and "default" in schema


_KEYWORDS = Draft202012Validator.VALIDATORS | {"$ref": _reference, "required": _required}
_BoundedValidator = create(
    meta_schema={},
    validators={name: partial(_apply, name) for name in _VALUE_TYPES},
    type_checker=Draft202012Validator.TYPE_CHECKER,
)


def _describe(error: ValidationError) -> str:
    field = ".".join(str(part) for part in error.absolute_path)
    message = error.message[:_MAX_CHARS]
    return f"{field}: {message}" if field else message
