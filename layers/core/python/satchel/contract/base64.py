"""Strict base64 decoding (v2:artifacts:b64). Accepts line breaks and a ``data:`` prefix, because tools produce both."""

import re

import pybase64

# Possessive quantifiers (*+) prevent backtracking, which takes 170 bytes of memory for each ";" in an untrusted text.
_DATA_URL = re.compile(r"\s*+data:(?P<mime>[^,;\s]*+)(?P<options>(?:;[^,;]*+)*+),", re.IGNORECASE)
_WHITESPACE = " \t\r\n\f\v"
_MAX_PADDING = 2
# Base64 characters per chunk. A multiple of 4 keeps each chunk valid base64. Chunks of this size fit in the CPU cache.
_CHUNK = 1 << 16


class Base64Error(ValueError):
    """The text is not valid base64. The error message says why."""


def split_data_url(text: str) -> tuple[str | None, str]:
    """Return ``(MIME type or None, base64)`` for a ``data:`` URL or bare base64.

    Raise Base64Error for a ``data:`` URL that does not contain base64.
    """
    prefix = _DATA_URL.match(text)
    if prefix is None:
        return None, text
    if "base64" not in prefix["options"].lower().split(";"):
        raise Base64Error("the data: URL is not base64")
    return prefix["mime"] or None, text[prefix.end() :]


def canonicalize(text: str) -> str:
    """Return base64 text without ``data:`` prefix and whitespace. Raise Base64Error for a URL that is not base64."""
    body = split_data_url(text)[1]
    for space in _WHITESPACE:
        if space in body:
            body = body.replace(space, "")
    return body


def decode(text: str) -> bytes:
    """Return the decoded bytes of a base64 text. Raise Base64Error if it is invalid."""
    try:
        return pybase64.b64decode(text, validate=True)  # fast path: most texts have no prefix and no whitespace
    except ValueError:
        return _decode(canonicalize(text))


def validate(text: str) -> str:
    """Check base64 text chunk by chunk. Return it without prefix and whitespace. Raise Base64Error if it is invalid."""
    body = canonicalize(text)
    if body.find("=", 0, -_MAX_PADDING) != -1:
        raise Base64Error("padding ('=') before the end")
    for start in range(0, len(body), _CHUNK):
        _decode(body[start : start + _CHUNK])
    return body


def decoded_size(body: str) -> int:
    """Return the number of bytes in valid base64 text without prefix and whitespace. The text is not decoded."""
    padding = body[-_MAX_PADDING:].count("=")
    return max(len(body) * 3 // 4 - padding, 0)


def _decode(body: str) -> bytes:
    try:
        return pybase64.b64decode(body, validate=True)
    except ValueError:
        raise Base64Error("not base64: invalid character, padding or length") from None
