"""Format times as RFC 3339 text in UTC, the only format of times in the HTTP API, in events and in texts for models."""

from datetime import UTC, datetime


def format_time(at: datetime) -> str:
    """Return a time as text in UTC, such as ``2026-01-31T12:00:00Z``. Fractions of a second stay, if any."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
