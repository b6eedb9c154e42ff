"""Standard error of a server: copied to that of this process, whose log keeps it, and remembered for error messages."""

import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import anyio

_CHUNK = 65536
_MAX_TEXT = 8192
_MAX_LINE_CHARS = 300
_OWN_STDERR = 2
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_ERROR = re.compile(r"[A-Za-z.]{0,80}(?:Error|Exception|Exit|Interrupt|error|fatal)\b[^\n]")


class ErrorOutput:
    """The pipe that is a server's standard error. Its ends can be closed more than once."""

    def __init__(self) -> None:
        reader, sender = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(reader, False)
        self._reader = open(reader, "rb", buffering=0)  # noqa: SIM115, PTH123  (a descriptor; close() closes it)
        self._sender = open(sender, "wb", buffering=0)  # noqa: SIM115, PTH123  (a descriptor; close() closes it)
        self._tail = b""

    @property
    def sender(self) -> int:
        """Return the file descriptor to which the server writes."""
        return self._sender.fileno()

    def close_sender(self) -> None:
        """Close this process's copy of the sending end. Call this after the server has inherited its own copy."""
        self._sender.close()

    async def copy(self) -> None:
        """Copy the output until the server closes it."""
        while True:
            await anyio.wait_readable(self._reader.fileno())
            if not self._copy_chunk():
                return

    def last_line(self) -> str | None:
        """Return the line that most likely says why the server failed, or None if it wrote nothing."""
        lines = [line.strip() for line in self._text().splitlines() if line.strip()]
        if not lines:
            return None
        # Programs print the error, and some print facts about themselves after it.
        named = [line for line in lines if _ERROR.match(line)]
        return (named or lines)[-1][:_MAX_LINE_CHARS]

    def close(self) -> None:
        """Close both ends of the pipe."""
        self._reader.close()
        self._sender.close()

    def _text(self) -> str:
        with suppress(ValueError):  # the pipe has been closed
            while self._copy_chunk():
                continue
        return _ESCAPES.sub("", self._tail.decode(errors="replace"))

    def _copy_chunk(self) -> bool:
        """Copy what the pipe contains. Return False at its end, or if it is empty."""
        chunk = self._reader.read(_CHUNK)
        if not chunk:
            return False
        self._tail = (self._tail + chunk)[-_MAX_TEXT:]
        with suppress(OSError):  # a log that cannot be written must not end the server
            os.write(_OWN_STDERR, chunk)
        return True


def log_name(environ: Mapping[str, str]) -> str | None:
    """Return the path or the log group of this process's log, or None if its output goes elsewhere."""
    if group := environ.get("AWS_LAMBDA_LOG_GROUP_NAME"):
        return group
    with suppress(OSError):
        if stat.S_ISREG(os.fstat(_OWN_STDERR).st_mode):
            return str(Path(f"/proc/self/fd/{_OWN_STDERR}").readlink())
    return None
