"""Limit the size of stored texts and lists, because tools may return more than a DynamoDB item can hold (400 KB)."""

from collections.abc import Sequence
from typing import Any

from satchel.contract import strip_blobs

MAX_EVENT_BYTES = 300_000
MAX_FILES = 100
MAX_ANSWER_CHARS = 80_000
MAX_REASONING_CHARS = 20_000
MAX_TEXT_CHARS = 2_000
MAX_NAME_CHARS = 1_000


def truncate(text: str, max_chars: int = MAX_TEXT_CHARS) -> str:
    """Cut a text to at most ``max_chars`` characters. A shortened text ends with "…"."""
    return text if len(text) <= max_chars else text[: max_chars - 1] + "…"


def strip_and_truncate(value: Any, max_chars: int = MAX_TEXT_CHARS) -> Any:  # noqa: ANN401  (any JSON value)
    """Remove base64 and file links from a tool's JSON value, and cut each text in it to ``max_chars`` characters."""
    return _truncate_texts(strip_blobs(value), max_chars)


def _truncate_texts(value: Any, max_chars: int) -> Any:  # noqa: ANN401  (any JSON value)
    if isinstance(value, str):
        return truncate(value, max_chars)
    if isinstance(value, dict):
        return {truncate(key, max_chars): _truncate_texts(item, max_chars) for key, item in value.items()}
    return [_truncate_texts(item, max_chars) for item in value] if isinstance(value, list) else value


def split_text(text: str, max_chars: int = 20_000) -> Sequence[str]:
    """Split a text into pieces of at most ``max_chars`` characters. Return no pieces for an empty text."""
    return [text[start : start + max_chars] for start in range(0, len(text), max_chars)]
