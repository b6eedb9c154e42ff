"""JSON as tools write it (NaN, half surrogates, endless nesting) made into JSON that every later step can carry.

Neither parser does it alone: ``json.loads`` accepts NaN and dies of deep nesting with a RecursionError, ``from_json``
refuses half surrogates; and what either has read may still be more than a serialiser takes.
"""

import json
import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator
from pydantic_core import from_json, to_jsonable_python

MAX_DEPTH = 100
_MAX_INT_BITS = 10_000  # Python refuses to write integers of more than 4,300 digits in decimal


class NotJsonError(ValueError):
    """The value cannot be made JSON: it holds itself, or is nested beyond what can even be written as text."""


def well_formed(value: Any) -> Any:  # noqa: ANN401  (validators pass on what is not theirs)
    """Replace half surrogates of a text by U+FFFD, for they cannot be stored as UTF-8; other values pass."""
    if not isinstance(value, str):
        return value
    exact = str.__str__(value)
    if exact.isascii():
        return exact
    return exact.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def text_of(value: object) -> str:
    """Write a value as compact JSON, as JavaScript's ``JSON.stringify`` does. Raises NotJsonError."""
    return json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"))


def plain(value: object) -> Any:  # noqa: ANN401  (any JSON value)
    """Copy a value as plain JSON. Raises NotJsonError.

    NaN and infinities become null; what lies deeper than MAX_DEPTH becomes its JSON text.
    """
    return _plain(value, 0, set())


def _plain(value: object, depth: int, above: set[int]) -> Any:  # noqa: ANN401  (any JSON value)
    if isinstance(value, Mapping | list | tuple | set | frozenset):
        return _container(value, depth, above)
    if isinstance(value, str):
        return well_formed(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if value.bit_length() <= _MAX_INT_BITS else hex(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return _plain(_known(value), depth, above)


def _container(value: Any, depth: int, above: set[int]) -> Any:  # noqa: ANN401  (any JSON value)
    if id(value) in above:
        raise NotJsonError("it contains itself")
    if depth >= MAX_DEPTH:
        return _buried(value)
    above.add(id(value))
    if isinstance(value, Mapping):
        copy: Any = {well_formed(str(key)): _plain(item, depth + 1, above) for key, item in value.items()}
    else:
        copy = [_plain(item, depth + 1, above) for item in value]
    above.discard(id(value))
    return copy


def _buried(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, TypeError, RecursionError):
        raise NotJsonError("it is nested too deep to be written down") from None
    return str(well_formed(text))


def _known(value: object) -> object:
    """Turn what is no JSON type (dates, models, data classes, bytes) into JSON types."""
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).decode("utf-8", "replace")
    try:
        return to_jsonable_python(value, by_alias=True, inf_nan_mode="null", fallback=str)
    except (ValueError, TypeError, RecursionError):
        raise NotJsonError(f"a {type(value).__name__} cannot be written as JSON") from None


def parse(text: str) -> Any:  # noqa: ANN401  (any JSON value)
    """Read JSON text. Raises NotJsonError.

    NaN is let in within objects and arrays, because Python's ``json.dumps`` writes it, but not as the whole text.
    """
    try:
        value = from_json(text, allow_inf_nan=False)
    except (ValueError, TypeError):  # a text with a half surrogate is none to it
        return _parse_leniently(text)
    if isinstance(value, float) and not math.isfinite(value):
        raise NotJsonError("a number beyond all bounds")
    return value


def _parse_leniently(text: str) -> Any:  # noqa: ANN401  (any JSON value)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise NotJsonError("it is not JSON") from None
    if isinstance(value, float):
        raise NotJsonError("NaN alone is a word, not a number")
    return plain(value)


Text = Annotated[str, BeforeValidator(well_formed)]
"""A text that can be stored as UTF-8."""

Json = Annotated[Any, BeforeValidator(plain)]
"""Any JSON value, copied and made plain."""

JsonObject = Annotated[dict[str, Any], BeforeValidator(plain)]
"""A JSON object, copied and made plain."""
