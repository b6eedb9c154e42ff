"""What a server's process was refused, as the runner learns it: by the guest's reports, and by what a tool says."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from satchel.adapters.sandbox.guest.guard import BETWEEN, PATH

_MOST_REPORTS = 100
_CHUNK = 1 << 16
_MOST_TEXT = 20_000

_DENIED = re.compile(
    r"outside allowed directory|permission denied|operation not permitted|read-only file system|unable to open database"
    r"|\bE(?:ACCES|PERM|ROFS)\b",
    re.IGNORECASE,
)
_ABSENT = re.compile(r"no such file|non-?existent|does not exist|cannot find|\bENOENT\b", re.IGNORECASE)
_FAILED_COMMAND = re.compile(r"non-zero exit status|command failed|exit(?:ed with)? (?:code|status)", re.IGNORECASE)
_PATH = re.compile(r"""'(/[^'\n]+)'|"(/[^"\n]+)"|(?<![\w./:~'"-])(/[^\s'"`<>|;&()\[\],:*?]+)""")


class Reports:
    """The pipe by which a guest reports. Any end may be closed more than once."""

    def __init__(self) -> None:
        reader, sender = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._reader = open(reader, "rb", buffering=0)  # noqa: SIM115, PTH123  (a descriptor, for as long as this is)
        self._sender = open(sender, "wb", buffering=0)  # noqa: SIM115, PTH123  (the same)

    @property
    def sender(self) -> int:
        """Return the descriptor that the guest is given."""
        return self._sender.fileno()

    def close_sender(self) -> None:
        """Leave the sending end to the guest, which has its own by now."""
        self._sender.close()

    def take(self) -> tuple[list[str], list[str]]:
        """Return the paths that were refused since the last time, and the commands that were run."""
        paths: list[str] = []
        commands: list[str] = []
        for line in self._lines():
            kind, text = line[:1], line[1:].decode(errors="replace")
            (paths if kind == PATH else commands).append(text)
        return list(dict.fromkeys(paths))[:_MOST_REPORTS], commands[-_MOST_REPORTS:]

    def close(self) -> None:
        """Close both ends."""
        self._reader.close()
        self._sender.close()

    def _lines(self) -> Iterator[bytes]:
        said = b""
        while not self._reader.closed and (chunk := self._reader.read(_CHUNK)):
            said += chunk
        yield from (line for line in said.splitlines() if line)


@dataclass(frozen=True)
class Bounds:
    """What a process may reach: its ``corner``, if any, and what is ``readable``, in ``hidden`` places nothing else."""

    corner: Path | None
    readable: Sequence[str]
    hidden: Sequence[str]

    def told_refusal(self, said: str, commands: Sequence[str]) -> str | None:
        """Return the path for which a call failed, judging by what the tool said when it did; None if it tells none.

        For servers that are not Python, and for code that is not. A command that failed is judged by the paths that it
        was given: one that it cannot have reached is why.
        """
        text = said[:_MOST_TEXT]
        named = list(_paths(text)) if _DENIED.search(text) else []
        named += [path for path in _paths(text) if _ABSENT.search(text) and self._is_hidden(path)]
        if _FAILED_COMMAND.search(text) or _DENIED.search(text):
            named += [path for path in _given(commands) if not self._can_be_read(path)]
        return next((path for path in named if not self._is_own(path)), None)

    def _is_own(self, path: str) -> bool:
        return self.corner is not None and _is_below(path, str(self.corner))

    def _is_hidden(self, path: str) -> bool:
        return _is_in(path, self.hidden) and not _is_in(path, self.readable)

    def _can_be_read(self, path: str) -> bool:
        return os.path.lexists(path) and _is_in(path, self.readable)


def _given(commands: Sequence[str]) -> Iterator[str]:
    for command in reversed(commands):
        yield from _paths(" ".join(command.split(BETWEEN.decode())[1:]))


def _paths(text: str) -> Iterator[str]:
    for found in _PATH.finditer(text):
        yield os.path.realpath(found[found.lastindex or 0].rstrip("."))


def _is_in(path: str, places: Sequence[str]) -> bool:
    return any(_is_below(path, place) for place in places)


def _is_below(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}/")
