"""What may be written down of a tool's arguments: no secrets, no tokens, and not much of it.

Names decide: a value whose key, header or query parameter is called like a secret is one, whatever it looks like.
"""

import json
import re
from typing import Any

from satchel.domain.size_limits import strip_and_truncate, truncate

REDACTED = "[redacted]"
MAX_CHARS = 500
MAX_ITEMS = 50
MAX_DEPTH = 8
MAX_TOTAL_CHARS = 8_000

_SECRET = re.compile(
    r"passw|passphrase|passcode|token|secret|credential|cookie|bearer|signature|authori[sz]ation"
    r"|(?:api|access|private|signing|encryption|auth|account)[-_. ]?key"
    r"|(?:^|[-_.])(?:auth|pass|pwd|jwt|otp|sig)(?:$|[-_.])",
    re.IGNORECASE,
)
_SECRET_PARAMETERS = frozenset({"key", "code"})  # of an address: an argument of this name is seldom a secret
# ``name=value`` and ``name: value`` in any text: queries, headers, connection strings, JSON within text. A name begins
# where no character of one stands before, and is bounded, so that a long text is read once.
_NAME = re.compile(r"(?<![\w.-])([\w.-]{1,64})[\"']?\s{0,4}[=:]\s{0,4}")
_VALUE = re.compile(r"\"[^\"]*\"?|'[^']*'?|(?:(?:bearer|basic|token)\s{1,4})?[^\s\"'&;,<>]*", re.IGNORECASE)
_BEARER = re.compile(r"\bbearer\s+[\w.~+/=-]+", re.IGNORECASE)
_JWT = re.compile(r"\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*")
_USER_INFO = re.compile(r"(?<=://)[^\s/@\"']{1,256}(?=@)")


def redact(arguments: Any) -> Any:  # noqa: ANN401  (any JSON value)
    """Return arguments as they may be kept and logged: JSON of bounded size, or its beginning where it is too long."""
    shown = _redact(strip_and_truncate(arguments, MAX_CHARS), 0)
    text = json.dumps(shown, ensure_ascii=False)
    return shown if len(text) <= MAX_TOTAL_CHARS else truncate(text, MAX_TOTAL_CHARS)


def redact_text(text: str) -> str:
    """Return a text without the secrets that it names, cut."""
    text = _redact_named_values(_USER_INFO.sub(REDACTED, truncate(text, MAX_CHARS)))
    return _JWT.sub(REDACTED, _BEARER.sub(REDACTED, text))


def _redact_named_values(text: str) -> str:
    kept, at = "", 0
    for found in _NAME.finditer(text):
        value = _VALUE.match(text, found.end())
        if found.start() >= at and value and value[0] and _is_secret(found):
            kept, at = f"{kept}{text[at : found.end()]}{REDACTED}", value.end()
    return kept + text[at:]


def _is_secret(found: re.Match[str]) -> bool:
    before = found.string[max(0, found.start() - 1) : found.start()]
    parameter = before in {"?", "&"} and found[1].lower() in _SECRET_PARAMETERS
    return parameter or _SECRET.search(found[1]) is not None


def _redact(value: Any, depth: int) -> Any:  # noqa: ANN401  (any JSON value)
    if isinstance(value, str):
        return redact_text(value)
    if not isinstance(value, dict | list):
        return value
    if depth == MAX_DEPTH:
        return "…"
    if isinstance(value, list):
        return [_redact(item, depth + 1) for item in value[:MAX_ITEMS]] + _omitted_note(value)
    shown = {key: _redact_member(key, item, depth) for key, item in list(value.items())[:MAX_ITEMS]}
    return shown | ({"…": more[0]} if (more := _omitted_note(value)) else {})


def _redact_member(key: str, value: Any, depth: int) -> Any:  # noqa: ANN401  (any JSON value)
    if value is not None and _SECRET.search(key):
        return REDACTED
    return _redact(value, depth + 1)


def _omitted_note(value: dict[str, Any] | list[Any]) -> list[str]:
    left = len(value) - MAX_ITEMS
    return [f"and {left} more"] if left > 0 else []
