"""The result of a check, and what to do about it."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """``FAILS``: the deployment, or a part of it, cannot work. ``UNKNOWN``: the check itself was not possible."""

    FAILS = "fails"
    WARNING = "warning"
    UNKNOWN = "unknown"
    OK = "ok"


@dataclass(frozen=True)
class Finding:
    """One sentence about the account. ``action`` says what to do, and is empty only if there is nothing to do."""

    level: Level
    text: str
    action: str = ""


def fails(text: str, action: str) -> Finding:
    """Return a finding about something that will fail."""
    return Finding(Level.FAILS, text, action)


def warning(text: str, action: str) -> Finding:
    """Return a finding about something that may fail, or that limits the deployment."""
    return Finding(Level.WARNING, text, action)


def unknown(text: str, action: str) -> Finding:
    """Return a finding about something that could not be checked."""
    return Finding(Level.UNKNOWN, text, action)


def ok(text: str) -> Finding:
    """Return a finding about something that is as it must be."""
    return Finding(Level.OK, text)
