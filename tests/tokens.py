"""Search for tokens that must not be logged: capabilities, tickets and the signatures of presigned URLs."""

import logging
import re
from collections.abc import Iterator
from pathlib import Path

# A capability is a JWT. A presigned URL works for anyone who has its signature.
_TOKEN = re.compile(r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{20,}|X-Amz-Signature=[0-9a-f]{64}|[?&]ticket=[\w-]{20,}")
_CONTEXT_CHARS = 300


def lines_with_tokens(text: str) -> list[str]:
    """Return the lines that contain a token, each with the token shortened."""
    return [_redact(line) for line in text.splitlines() if _TOKEN.search(line)]


def runner_logs(temp_dir: Path) -> Iterator[Path]:
    """Yield the log files of a system's runners. The system deletes empty ones."""
    yield from sorted(path for path in temp_dir.glob("satchel-run-*/logs/**/*") if path.is_file())


class TokenWatch(logging.Handler):
    """Searches everything that this process logs. ``found`` has the lines with a token."""

    def __init__(self) -> None:
        super().__init__(logging.NOTSET)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Search the message, the exception and the extra fields."""
        text = f"{self.format(record)} {record.__dict__}"
        self.found += lines_with_tokens(text.replace("\n", " "))


def _redact(line: str) -> str:
    first = _TOKEN.search(line)
    at = first.start() if first else 0
    return _TOKEN.sub(lambda match: f"{match[0][:16]}…", line[max(0, at - _CONTEXT_CHARS) : at + 2000])[
        : _CONTEXT_CHARS * 2
    ]
