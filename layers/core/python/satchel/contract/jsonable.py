"""Convert tools' values to plain JSON that every later step can store: no NaN, lone surrogates or very deep nesting.

No available parser is enough: ``json.loads`` accepts NaN and raises RecursionError on deep nesting, ``from_json``
rejects lone surrogates, and both return values that a JSON serializer may reject.
"""

import json
import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator
from pydantic_core import from_json, to_jsonable_python

MAX_DEPTH = 100
_MAX_INT_BITS = 10_000  # larger integers become hex text, because Python prints at most 4,300 decimal digits


class NotJsonError(ValueError):
    """The value is not JSON and cannot be converted to JSON, for example because it contains itself."""


def replace_surrogates(value: Any) -> Any:  # noqa: ANN401  (validators pass other types through)
    """Replace lone surrogates in a text with U+FFFD, because UTF-8 cannot encode them. Return non-text unchanged."""
    if not isinstance(value, str):
        return value
    exact = str.__str__(value)  # convert an instance of a str subclass to a plain str
    if exact.isascii():
        return exact
    return exact.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def to_json_text(value: object) -> str:
    """Return a value as compact JSON text, like JavaScript's ``JSON.stringify``. Raise NotJsonError if impossible."""
    return json.dumps(to_plain_json(value), ensure_ascii=False, separators=(",", ":"))


def to_plain_json(value: object) -> Any:  # noqa: ANN401  (any JSON value)
    """Return a copy of a value as plain JSON. Raise NotJsonError if this is impossible.

    NaN and infinities become null. A list or object nested deeper than MAX_DEPTH becomes a string with its JSON text.
    """
    return _convert(value, 0, set())


def _convert(value: object, depth: int, ancestors: set[int]) -> Any:  # noqa: ANN401  (any JSON value)
    if isinstance(value, Mapping | list | tuple | set | frozenset):
        return _convert_container(value, depth, ancestors)
    if isinstance(value, str):
        return replace_surrogates(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if value.bit_length() <= _MAX_INT_BITS else hex(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return _convert(_convert_object(value), depth, ancestors)


def _convert_container(value: Any, depth: int, ancestors: set[int]) -> Any:  # noqa: ANN401  (any JSON value)
    if id(value) in ancestors:
        raise NotJsonError("it contains itself")
    if depth >= MAX_DEPTH:
        return _to_text(value)
    ancestors.add(id(value))
    if isinstance(value, Mapping):
        copy: Any = {replace_surrogates(str(key)): _convert(item, depth + 1, ancestors) for key, item in value.items()}
    else:
        copy = [_convert(item, depth + 1, ancestors) for item in value]
    ancestors.discard(id(value))
    return copy


def _to_text(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, TypeError, RecursionError):
        raise NotJsonError("it is nested too deeply") from None
    return str(replace_surrogates(text))


def _convert_object(value: object) -> object:
    """Convert bytes, a date, a pydantic model, a data class or another object to JSON types. Raise NotJsonError."""
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).decode("utf-8", "replace")
    try:
        return to_jsonable_python(value, by_alias=True, inf_nan_mode="null", fallback=str)
    except (ValueError, TypeError, RecursionError):
        raise NotJsonError(f"a {type(value).__name__} cannot be written as JSON") from None


def parse_json(text: str) -> Any:  # noqa: ANN401  (any JSON value)
    """Parse JSON text. Raise NotJsonError if it is invalid.

    NaN inside an object or array becomes null, because ``json.dumps`` writes NaN. A text of only NaN is invalid.
    """
    try:
        value = from_json(text, allow_inf_nan=False)
    except (ValueError, TypeError):  # from_json rejects NaN and lone surrogates, which _parse_leniently replaces
        return _parse_leniently(text)
    if isinstance(value, float) and not math.isfinite(value):
        raise NotJsonError("the number is too large")
    return value


def _parse_leniently(text: str) -> Any:  # noqa: ANN401  (any JSON value)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise NotJsonError("it is not JSON") from None
    if isinstance(value, float):
        raise NotJsonError("NaN and Infinity are not JSON")
    return to_plain_json(value)


Text = Annotated[str, BeforeValidator(replace_surrogates)]
"""A pydantic type: text in which lone surrogates are replaced, so that UTF-8 can encode it."""

Json = Annotated[Any, BeforeValidator(to_plain_json)]
"""A pydantic type: any value, converted to JSON by ``to_plain_json``."""

JsonObject = Annotated[dict[str, Any], BeforeValidator(to_plain_json)]
"""A pydantic type: a JSON object, converted by ``to_plain_json``."""
