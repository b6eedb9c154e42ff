"""Remove links that give access to files, and access tokens, from a tool's texts (clause v2.1:output:no-tokens).

Tools get such links and may return them in results, error messages and file names. Every reader of a link can use it,
so no link may reach a stored text, an event or a model. The patterns match the form of a token, also outside of URLs.
"""

import itertools
import re
from typing import Any

REDACTED = "[redacted]"
LINK_NOTE = "[file link omitted]"

# Matches words joined by dots, such as JWTs. Lookbehind and possessive quantifiers keep the search time linear.
_DOTTED = re.compile(r"(?<![\w-])[\w-]++(?:\.[\w-]*+)++")
# Matches the beginning of a JWT, also directly after "=", "_" or "%3D" (an encoded "=").
_JWT_START = re.compile(r"(?:(?<![A-Za-z0-9])|(?<=\b3D))eyJ[\w-]{8}")
_SHORTEST = len("eyJ12345678..")
"""The length of the shortest text that a pattern here can match, a JWT with empty parts."""

_JWS_PARTS, _JWE_PARTS, _MIN_JWE_PART = 3, 5, 16
_URL = re.compile(r"(?:https?://|/api/files/download/)[^\s\"'<>)\]]+")
_FILE_LINK = re.compile(
    r"/api/files/download/|[?&](?:X-(?:Amz|Goog)-(?:Signature|Security-Token|Credential)=|AWSAccessKeyId=|Key-Pair-Id="
    r"|(?:Signature|sig)=[\w%+/=.~-]{20})",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(
    r"\b(X-(?:Amz|Goog)-(?:Signature|Security-Token|Credential)|AWSAccessKeyId)(=|%3D)[\w%+/=.~-]+", re.IGNORECASE
)
_BEARER = re.compile(r"\b(bearer\s+)(?=[A-Za-z._~+/=-]*\d)[\w.~+/=-]{16,}", re.IGNORECASE)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|\Z)", re.DOTALL
)
_KEYS = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:AKIA|ASIA)[A-Z0-9]{16}|gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{40,}|xox[abprs]-[\w-]{20,}"
    r"|sk-[\w-]{32,})(?![A-Za-z0-9])"
)


def scrub(value: Any) -> Any:  # noqa: ANN401  (any JSON value)
    """Return a JSON value without file links and tokens in its texts and keys. Scrubbing again changes nothing."""
    if isinstance(value, str):
        return scrub_text(value)
    if isinstance(value, dict):
        return {scrub_text(key): scrub(item) for key, item in value.items()}
    if isinstance(value, list):
        return [scrub(item) for item in value]
    return value


def scrub_text(text: str) -> str:
    """Replace file links, signatures, JWTs, bearer tokens and common API keys in a text with short notes."""
    if len(text) < _SHORTEST:
        return text
    if "://" in text or "/api/files/" in text:
        text = _URL.sub(_link_note, text)
    if "eyJ" in text:
        text = redact_jwts(text)
    if "-----BEGIN" in text:
        text = _PRIVATE_KEY.sub(REDACTED, text)
    text = _SIGNATURE.sub(rf"\1\2{REDACTED}", text)
    return _KEYS.sub(REDACTED, _BEARER.sub(rf"\1{REDACTED}", text))


def redact_jwts(text: str) -> str:
    """Replace JSON Web Tokens, signed or encrypted, in a text with ``[redacted]``."""
    return _DOTTED.sub(lambda dotted: _redact_dotted(dotted[0]), text)


def _redact_dotted(dotted: str) -> str:
    redacted, position = "", 0
    while start := _JWT_START.search(dotted, position):
        ends = _part_ends(dotted, start.end())
        if len(ends) < _JWS_PARTS:
            break
        is_encrypted = len(ends) == _JWE_PARTS and all(
            end - before > _MIN_JWE_PART for before, end in itertools.pairwise(ends[_JWS_PARTS - 1 :])
        )
        redacted += dotted[position : start.start()] + REDACTED
        position = ends[(_JWE_PARTS if is_encrypted else _JWS_PARTS) - 1]
    return redacted + dotted[position:]


def _part_ends(dotted: str, position: int) -> list[int]:
    """Return the ends of up to five parts between dots, from the part that contains ``position``."""
    ends: list[int] = []
    while len(ends) < _JWE_PARTS and (not ends or ends[-1] < len(dotted)):
        dot = dotted.find(".", ends[-1] + 1 if ends else position)
        ends.append(len(dotted) if dot < 0 else dot)
    return ends


def has_file_link(text: str) -> bool:
    """Return True if a text contains a link that gives access to a file."""
    return any(_FILE_LINK.search(url[0]) for url in _URL.finditer(text))


def _link_note(url: re.Match[str]) -> str:
    return LINK_NOTE if _FILE_LINK.search(url[0]) else url[0]
