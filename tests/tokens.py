"""Permissions that must stand in no log: capabilities and tickets of every kind, and presigned addresses."""

import logging
import re
from collections.abc import Iterator
from pathlib import Path

# A capability is a JWT; all of them begin like this. What is presigned is good for whoever has its signature.
_TOKEN = re.compile(r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{20,}|X-Amz-Signature=[0-9a-f]{64}|[?&]ticket=[\w-]{20,}")
_SHOWN_CHARS = 300


def lines_with_tokens(text: str) -> list[str]:
    """Return the lines that hold one, with all but its beginning taken out."""
    return [_hidden(line) for line in text.splitlines() if _TOKEN.search(line)]


def logs_of(temp: Path) -> Iterator[Path]:
    """Give what a system wrote down while it ran: the logs of its runners, which it keeps where they are not empty."""
    yield from sorted(path for path in temp.glob("satchel-run-*/logs/**/*") if path.is_file())


class TokenWatch(logging.Handler):
    """Looks at everything that is logged in this process; ``found`` are the lines with a token in them."""

    def __init__(self) -> None:
        super().__init__(logging.NOTSET)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Look at the message, the exception and all that is logged beside it."""
        text = f"{self.format(record)} {record.__dict__}"
        self.found += lines_with_tokens(text.replace("\n", " "))


def _hidden(line: str) -> str:
    found = _TOKEN.search(line)
    at = found.start() if found else 0
    return _TOKEN.sub(lambda match: f"{match[0][:16]}…", line[max(0, at - _SHOWN_CHARS) : at + 2000])[
        : _SHOWN_CHARS * 2
    ]
