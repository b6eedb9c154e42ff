"""Strict base64 decoding (clause v2:artifacts:b64): an invalid character, padding or length is an error.

Whitespace (line-wrapped base64) and a ``data:…;base64,`` prefix are accepted, because tools produce both.
"""

import re

import pybase64

_DATA_URL = re.compile(r"\s*data:(?P<mime>[^,;\s]*)(?P<options>(?:;[^,;]*)*),", re.IGNORECASE)
_WHITESPACE = " \t\r\n\f\v"
_MAX_PADDING = 2
# Characters: a multiple of four, so that each chunk decodes on its own, and small enough for the CPU cache.
_CHUNK = 1 << 16


class Base64Error(ValueError):
    """The text is not valid base64. The message gives the reason."""


def split_data_url(text: str) -> tuple[str | None, str]:
    """Return the MIME type of the ``data:`` prefix (or None) and the text after it. Raises Base64Error."""
    prefix = _DATA_URL.match(text)
    if prefix is None:
        return None, text
    if "base64" not in prefix["options"].lower().split(";"):
        raise Base64Error("the data: URL is not base64")
    return prefix["mime"] or None, text[prefix.end() :]


def canonicalize(text: str) -> str:
    """Remove the ``data:`` prefix and whitespace. Raises Base64Error if the ``data:`` URL is not base64."""
    body = split_data_url(text)[1]
    for space in _WHITESPACE:
        if space in body:
            body = body.replace(space, "")
    return body


def decode(text: str) -> bytes:
    """Decode a text. Raises Base64Error."""
    try:
        return pybase64.b64decode(text, validate=True)  # almost every text is canonical already
    except ValueError:
        return _decode(canonicalize(text))


def validate(text: str) -> str:
    """Return the canonical text. Raises Base64Error if it does not decode; the check needs little memory."""
    body = canonicalize(text)
    if body.find("=", 0, -_MAX_PADDING) != -1:
        raise Base64Error("padding ('=') before the end")
    for start in range(0, len(body), _CHUNK):
        _decode(body[start : start + _CHUNK])
    return body


def decoded_size(body: str) -> int:
    """Return the decoded size in bytes of a valid canonical text, computed from its length."""
    padding = body[-_MAX_PADDING:].count("=")
    return max(len(body) * 3 // 4 - padding, 0)


def _decode(body: str) -> bytes:
    try:
        return pybase64.b64decode(body, validate=True)
    except ValueError:
        raise Base64Error("not base64: invalid character, padding or length") from None
