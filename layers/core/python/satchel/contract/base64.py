"""Strict base64 decoding (clause v2:artifacts:b64): rejects text with an invalid character, padding or length.

Whitespace (as in line-wrapped base64) and a ``data:…;base64,`` prefix are accepted, because tools produce them.
"""

import re

import pybase64

_DATA_URL = re.compile(r"\s*data:(?P<mime>[^,;\s]*)(?P<options>(?:;[^,;]*)*),", re.IGNORECASE)
_WHITESPACE = " \t\r\n\f\v"
_MAX_PADDING = 2
# Chunk size in characters: a multiple of four, so that each chunk can be decoded alone, and small enough for the cache.
_CHUNK = 1 << 16


class Base64Error(ValueError):
    """The text is not valid base64. The error message says why."""


def split_data_url(text: str) -> tuple[str | None, str]:
    """Return ``(MIME type or None, base64 text)`` of a ``data:`` URL or bare text. Raise Base64Error if not base64."""
    prefix = _DATA_URL.match(text)
    if prefix is None:
        return None, text
    if "base64" not in prefix["options"].lower().split(";"):
        raise Base64Error("the data: URL is not base64")
    return prefix["mime"] or None, text[prefix.end() :]


def canonicalize(text: str) -> str:
    """Return the text without ``data:`` prefix and whitespace. Raise Base64Error if a ``data:`` URL is not base64."""
    body = split_data_url(text)[1]
    for space in _WHITESPACE:
        if space in body:
            body = body.replace(space, "")
    return body


def decode(text: str) -> bytes:
    """Return the decoded bytes of a base64 text. Raise Base64Error if it is invalid."""
    try:
        return pybase64.b64decode(text, validate=True)  # almost every text is canonical, so try this faster way first
    except ValueError:
        return _decode(canonicalize(text))


def validate(text: str) -> str:
    """Return the text in canonical form. Raise Base64Error if it cannot be decoded. Decode in chunks to save memory."""
    body = canonicalize(text)
    if body.find("=", 0, -_MAX_PADDING) != -1:
        raise Base64Error("padding ('=') before the end")
    for start in range(0, len(body), _CHUNK):
        _decode(body[start : start + _CHUNK])
    return body


def decoded_size(body: str) -> int:
    """Return how many bytes a valid canonical base64 text decodes to, computed from its length."""
    padding = body[-_MAX_PADDING:].count("=")
    return max(len(body) * 3 // 4 - padding, 0)


def _decode(body: str) -> bytes:
    try:
        return pybase64.b64decode(body, validate=True)
    except ValueError:
        raise Base64Error("not base64: invalid character, padding or length") from None
