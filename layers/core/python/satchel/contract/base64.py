"""Strict base64: wrong characters, padding or length are errors, never bytes skipped in silence (spec 2 §1).

White space (line-wrapped base64) and a ``data:…;base64,`` prefix are accepted, since tools write both.
"""

import re

import pybase64

_DATA_URL = re.compile(r"\s*data:(?P<mime>[^,;\s]*)(?P<options>(?:;[^,;]*)*),", re.IGNORECASE)
_WHITE_SPACE = " \t\r\n\f\v"
_MOST_PADDING = 2
_CHUNK = 1 << 16  # characters: a multiple of four, so that every chunk decodes by itself, and few enough for a cache


class Base64Error(ValueError):
    """The text is not base64; the message says how."""


def split_data_url(text: str) -> tuple[str | None, str]:
    """Take a ``data:`` prefix off; return its MIME type (None without one) and the rest. Raises Base64Error."""
    prefix = _DATA_URL.match(text)
    if prefix is None:
        return None, text
    if "base64" not in prefix["options"].lower().split(";"):
        raise Base64Error("the data: URL is not base64")
    return prefix["mime"] or None, text[prefix.end() :]


def canonical(text: str) -> str:
    """Take off the prefix and white space; what is base64 afterwards is so in the strictest sense."""
    body = split_data_url(text)[1]
    for space in _WHITE_SPACE:
        if space in body:
            body = body.replace(space, "")
    return body


def decode(text: str) -> bytes:
    """Decode the whole text at once. Raises Base64Error."""
    try:
        return pybase64.b64decode(text, validate=True)  # nearly every text is in the strictest sense already
    except ValueError:
        return _decode(canonical(text))


def checked(text: str) -> str:
    """Return the text in its canonical form, having tried that it decodes, in bounded memory. Raises Base64Error."""
    body = canonical(text)
    if body.find("=", 0, -_MOST_PADDING) != -1:
        raise Base64Error("padding ('=') before the end")
    for start in range(0, len(body), _CHUNK):
        _decode(body[start : start + _CHUNK])
    return body


def check(text: str) -> int:
    """Return how many bytes the text decodes to, having tried, in bounded memory. Raises Base64Error."""
    return decoded_size(checked(text))


def decoded_size(body: str) -> int:
    """Return how many bytes a canonical text decodes to if it is base64, by its length alone."""
    padding = body[-_MOST_PADDING:].count("=")
    return max(len(body) * 3 // 4 - padding, 0)


def _decode(body: str) -> bytes:
    try:
        return pybase64.b64decode(body, validate=True)
    except ValueError:
        raise Base64Error("not base64: a wrong character, padding or length") from None
