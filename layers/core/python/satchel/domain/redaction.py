"""Remove secrets and tokens from tool arguments, and limit their size, for logs and the audit trail.

A value counts as a secret if the name of its key, header or query parameter looks like the name of a secret.
"""

import json
import re
from typing import Any

from satchel.contract.tokens import REDACTED, redact_jwts
from satchel.domain.size_limits import strip_and_truncate, truncate

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
_SECRET_PARAMETERS = frozenset({"key", "code"})  # these words name secrets in URLs, but rarely elsewhere
# Matches ``name=value`` and ``name: value`` in any text: queries, headers, connection strings, JSON within text. The
# lookbehind and the length limit for names keep the search time linear in the length of the text.
_NAME = re.compile(r"(?<![\w.-])([\w.-]{1,64})[\"']?\s{0,4}[=:]\s{0,4}")
_VALUE = re.compile(r"\"[^\"]*\"?|'[^']*'?|(?:(?:bearer|basic|token)\s{1,4})?[^\s\"'&;,<>]*", re.IGNORECASE)
_BEARER = re.compile(r"\bbearer\s+[\w.~+/=-]+", re.IGNORECASE)
_USER_INFO = re.compile(r"(?<=://)[^\s/@\"']{1,256}(?=@)")


def redact(arguments: Any) -> Any:  # noqa: ANN401  (any JSON value)
    """Return tool arguments without secrets, as JSON. If the JSON is too long, return the beginning of its text."""
    redacted = redact_value(arguments)
    text = json.dumps(redacted, ensure_ascii=False)
    return redacted if len(text) <= MAX_TOTAL_CHARS else truncate(text, MAX_TOTAL_CHARS)


def redact_value(value: Any) -> Any:  # noqa: ANN401  (any JSON value)
    """Return a JSON value without secrets and file links. Shorten long texts, lists and objects; cut deep nesting."""
    return _redact(strip_and_truncate(value, MAX_CHARS), 0)


def redact_text(text: str) -> str:
    """Remove secrets from a text, and cut it to ``MAX_CHARS`` characters."""
    text = _redact_named_values(_USER_INFO.sub(REDACTED, truncate(text, MAX_CHARS)))
    return redact_jwts(_BEARER.sub(REDACTED, text))


def _redact_named_values(text: str) -> str:
    result, end = "", 0
    for name in _NAME.finditer(text):
        value = _VALUE.match(text, name.end())
        if name.start() >= end and value and value[0] and _is_secret(name):
            result, end = f"{result}{text[end : name.end()]}{REDACTED}", value.end()
    return result + text[end:]


def _is_secret(name: re.Match[str]) -> bool:
    before = name.string[max(0, name.start() - 1) : name.start()]
    is_secret_parameter = before in {"?", "&"} and name[1].lower() in _SECRET_PARAMETERS
    return is_secret_parameter or _SECRET.search(name[1]) is not None


def _redact(value: Any, depth: int) -> Any:  # noqa: ANN401  (any JSON value)
    if isinstance(value, str):
        return redact_text(value)
    if not isinstance(value, dict | list):
        return value
    if depth == MAX_DEPTH:
        return "…"
    if isinstance(value, list):
        return [_redact(item, depth + 1) for item in value[:MAX_ITEMS]] + _omitted_note(value)
    members = {key: _redact_member(key, item, depth) for key, item in list(value.items())[:MAX_ITEMS]}
    return members | ({"…": note[0]} if (note := _omitted_note(value)) else {})


def _redact_member(key: str, value: Any, depth: int) -> Any:  # noqa: ANN401  (any JSON value)
    if value is not None and _SECRET.search(key):
        return REDACTED
    return _redact(value, depth + 1)


def _omitted_note(value: dict[str, Any] | list[Any]) -> list[str]:
    omitted = len(value) - MAX_ITEMS
    return [f"and {omitted} more"] if omitted > 0 else []
