"""Records the log of turns."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


class LogRecorder(logging.Handler):
    """Records every log line with its extra fields, as the formatter of the functions writes them."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{self.format(record)} {record.__dict__}")

    @contextmanager
    def recording(self) -> Iterator["LogRecorder"]:
        """Record the lines from the level INFO on."""
        root, satchel = logging.getLogger(), logging.getLogger("satchel")
        level = root.level
        root.setLevel(logging.INFO)
        for logger in (root, satchel):
            logger.addHandler(self)
        yield self
        for logger in (root, satchel):
            logger.removeHandler(self)
        root.setLevel(level)
