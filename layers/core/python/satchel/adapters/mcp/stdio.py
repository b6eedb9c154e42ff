"""Servers that are processes of ours."""

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from mcp.client._transport import TransportStreams

from satchel.adapters.clearing import remove_tree
from satchel.adapters.mcp import processes
from satchel.adapters.mcp.environment import prepare, server_environment
from satchel.adapters.mcp.line_stdio import LineStdio
from satchel.adapters.sandbox.refusals import Reports
from satchel.adapters.sandbox.strays import PLACES, Strays
from satchel.adapters.sandbox.walls import Corner, Walls
from satchel.adapters.server_config import interpreter
from satchel.domain.isolation import Isolation
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import Failed

_DYING_SECONDS = 0.5
_MOST_UNREAPED = 32


@dataclass(frozen=True)
class Program:
    """What is started for a server entry. ``most_line`` is in bytes; of ``environ`` very little is passed on."""

    entry: ServerEntry
    environ: Mapping[str, str]
    most_line: int
    isolation: Isolation


class StdioWire:
    """One server process. Where it may not write in the ``corner`` it has a scratch directory that goes with it."""

    def __init__(self, program: Program, corner: Corner) -> None:
        self._program = program
        self._corner = corner
        self._scratch = None if corner.home and corner.writes else Path(tempfile.mkdtemp(prefix="satchel-"))
        self._lodging = self._scratch or corner.home or Path()
        self._walls: Walls | None = None
        self._strays: Strays | None = None
        self._reports = Reports()
        self._identity = _identity(corner.home)
        self._own: set[int] = set()
        self._killing = threading.Lock()
        self._line = LineStdio(self._start, program.most_line)

    @property
    def lasts(self) -> bool:
        """A process stays warm."""
        return True

    def connect(self) -> AbstractAsyncContextManager[TransportStreams]:
        """Start the server. Raises OSError when its program or its directory is not there."""
        return self._line.connect()

    def prepare(self) -> None:
        """Make the folders that the server's environment names; what was before is no news of this call."""
        prepare(self._lodging)
        self._reports.take()
        if self._strays:
            self._strays.begin()

    def settle(self) -> None:
        """Take what runs below the process now for a part of the server (under ``npx`` it is the server itself)."""
        if self._line.process:
            self._own = processes.below(self._line.process.pid)

    def too_long(self) -> Failed | None:
        """Say that a line was longer than allowed, where one was."""
        most = self._program.most_line
        if not self._line.too_long:
            return None
        return Failed(crashed=True, message=f"The answer is longer than {most} bytes", too_long=most)

    def lost(self, _said: str, /) -> Failed | None:
        """Say why nothing more will come from the server; None if something may."""
        if failed := self.too_long():
            return failed
        if not self._line.over or self._line.process is None:
            return None
        processes.wait_for_death(self._line.process, _DYING_SECONDS)
        how = processes.how_it_ended(self._line.process) or "hung up"
        return Failed(crashed=True, message=f"The tool's server {how} before it answered")

    def clean(self) -> bool:
        """Tell whether the process may serve another call.

        A server that left processes behind is not mended by killing those alone: it may count on them, and may just
        start them again (a process pool does). It ends together with them, and a new one starts for the next call.
        """
        process = self._line.process
        if process is None or self._line.over or processes.how_it_ended(process):
            return False
        if _identity(self._corner.home) != self._identity:
            return False  # its walls stand around the directory that was there before
        left = processes.below(process.pid) - self._own
        return len(left) <= _MOST_UNREAPED and not processes.any_living(left)

    def refusals(self, said: str | None) -> Sequence[str]:
        """Return what the guest reported, and last the path for which the call failed, where that can be told."""
        paths, commands = self._reports.take()
        if said is None or self._walls is None:
            return paths
        why = self._walls.bounds.told_refusal(said, commands)
        return paths if why is None else [*(path for path in paths if path != why), why]

    def strays(self) -> Sequence[str]:
        """Return what changed outside during the call, where neither a guard nor the kernel stood before it."""
        return self._strays.take() if self._strays else ()

    def kill(self) -> None:
        """Kill the server and everything it started."""
        with self._killing:
            if self._line.process:
                processes.end(self._line.process)

    def close(self) -> None:
        """Remove the scratch directory."""
        self._reports.close()
        if self._scratch is not None:
            remove_tree(self._scratch)

    def _start(self) -> subprocess.Popen[bytes]:
        program = self._program
        env = server_environment(program.entry.env, program.environ, self._lodging)
        first, *_ = interpreter(program.entry.command or [])
        found = shutil.which(first, path=env.get("PATH", os.defpath))
        if found is None:
            raise FileNotFoundError(f"there is no program {first!r}")
        if program.entry.cwd is not None and not Path(program.entry.cwd).is_dir():
            raise FileNotFoundError(f"there is no directory {program.entry.cwd}")
        self._walls = walls = Walls(program.entry, program.isolation, found, self._corner, self._lodging)
        guest = [self._reports.sender] if walls.is_python else []
        if walls.is_open:
            self._strays = Strays([*PLACES, program.entry.cwd or "."], self._lodging)
        try:
            return processes.start(walls.server(self._reports.sender), env, walls.options(), guest)
        finally:
            self._reports.close_sender()


def _identity(directory: Path | None) -> tuple[int, int] | None:
    """Tell directories apart that have the same name one after the other."""
    if directory is None or not directory.is_dir():
        return None
    found = directory.stat()
    return found.st_dev, found.st_ino
