"""Finds file accesses that the sandbox blocked, from reports of the server's guard or the error text of a call."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from satchel.adapters.sandbox.guest.guard import ARGUMENT_SEPARATOR, COMMAND, READ
from satchel.ports.tool_client import BlockedAccess

_MAX_REPORTS = 100
_CHUNK = 1 << 16
_MAX_TEXT = 20_000

_DENIED = re.compile(
    r"outside allowed director(?:y|ies)|permission denied|operation not permitted|read-only file system"
    r"|unable to open database|\bE(?:ACCES|PERM|ROFS)\b",
    re.IGNORECASE,
)
_ABSENT = re.compile(r"no such file|non-?existent|does not exist|cannot find|\bENOENT\b", re.IGNORECASE)
_FAILED_COMMAND = re.compile(r"non-zero exit status|command failed|exit(?:ed with)? (?:code|status)", re.IGNORECASE)
_WRITE = re.compile(
    r"read-only file system|\bEROFS\b|(?:cannot|could not|failed to) (?:write|create|save|remove|touch|move|append)"
    r"|\b(?:mkdir|rmdir|unlink|rename|symlink|touch|truncate|for writing)\b",
    re.IGNORECASE,
)
_PATH = re.compile(r"""'(/[^'\n]+)'|"(/[^"\n]+)"|(?<![\w./:~'"-])(/[^\s'"`<>|;&()\[\],:*?]+)""")


class ViolationReports:
    """Pipe through which the guard (an audit hook inside a Python server) reports blocked file access.

    Both ends of the pipe can be closed more than once.
    """

    def __init__(self) -> None:
        reader, sender = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._reader = open(reader, "rb", buffering=0)  # noqa: SIM115, PTH123  (a descriptor; close() closes it)
        self._sender = open(sender, "wb", buffering=0)  # noqa: SIM115, PTH123  (a descriptor; close() closes it)

    @property
    def sender(self) -> int:
        """Return the file descriptor to which the guard writes its reports."""
        return self._sender.fileno()

    def close_sender(self) -> None:
        """Close this process's copy of the sending end. Call this after the server has inherited its own copy."""
        self._sender.close()

    def take(self) -> tuple[list[BlockedAccess], list[str]]:
        """Return ``(blocked accesses, commands)`` that the guard reported since the last ``take``, at most 100 of each.

        The commands are those that tools ran.
        """
        accesses: dict[str, BlockedAccess] = {}
        commands: list[str] = []
        for line in self._lines():
            kind, text = line[:1], line[1:].decode(errors="replace")
            if kind == COMMAND:
                commands.append(text)
            else:
                accesses[text] = BlockedAccess(path=text, operation="read" if kind == READ else "write")
        return list(accesses.values())[:_MAX_REPORTS], commands[-_MAX_REPORTS:]

    def close(self) -> None:
        """Close both ends of the pipe for the guard's reports."""
        self._reader.close()
        self._sender.close()

    def _lines(self) -> Iterator[bytes]:
        received = b""
        while not self._reader.closed and (chunk := self._reader.read(_CHUNK)):
            received += chunk
        yield from (line for line in received.splitlines() if line)


@dataclass(frozen=True)
class AccessBounds:
    """Paths that a server process can access: its ``writable`` directories and its ``readable`` paths.

    All other files below a ``hidden`` directory are invisible to the process.
    """

    writable: Sequence[str]
    readable: Sequence[str]
    hidden: Sequence[str]

    def find_violation(self, error: str, commands: Sequence[str]) -> BlockedAccess | None:
        """Return the blocked access that made a call fail, or None if ``error`` and ``commands`` name no blocked path.

        This method also finds accesses that the guard (a Python audit hook) cannot see, because other programs or C
        libraries made them. If a command failed, its first path argument that is not readable counts as the cause.
        """
        text = error[:_MAX_TEXT]
        is_denied = _DENIED.search(text) is not None
        named = list(_paths(text)) if is_denied else []
        named += [path for path in _paths(text) if _ABSENT.search(text) and self._is_hidden(path)]
        for path in named:
            if not _is_below_any(path, self.writable):
                return BlockedAccess(path=path, operation=self._operation(path, text, is_denied=is_denied))
        if is_denied or _FAILED_COMMAND.search(text):
            for path in _path_arguments(commands):
                if not self._is_readable(path) and not _is_below_any(path, self.writable):
                    return BlockedAccess(path=path)
        return None

    def _operation(self, path: str, error: str, *, is_denied: bool) -> Literal["read", "write"] | None:
        """Return the operation that was blocked, or None if it is unknown.

        This process (the runner) can check paths that are hidden from the tool.
        """
        if _WRITE.search(_PATH.sub("", error)):
            return "write"
        if os.path.lexists(path):
            return "write" if self._is_readable(path) else "read"
        # The path does not exist. Reading a missing file fails as "not found", so a denied access was a write.
        return "write" if is_denied else None

    def _is_hidden(self, path: str) -> bool:
        return _is_below_any(path, self.hidden) and not _is_below_any(path, self.readable)

    def _is_readable(self, path: str) -> bool:
        return os.path.lexists(path) and _is_below_any(path, self.readable)


def _path_arguments(commands: Sequence[str]) -> Iterator[str]:
    """Yield the paths in the arguments of the commands, starting with the latest command."""
    for command in reversed(commands):
        yield from _paths(" ".join(command.split(ARGUMENT_SEPARATOR.decode())[1:]))


def _paths(text: str) -> Iterator[str]:
    for match in _PATH.finditer(text):
        yield os.path.realpath(match[match.lastindex or 0].rstrip("."))


def _is_below_any(path: str, directories: Sequence[str]) -> bool:
    return any(_is_below(path, directory) for directory in directories)


def _is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(f"{directory}/")
