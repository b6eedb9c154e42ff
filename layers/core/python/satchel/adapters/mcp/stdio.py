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
from satchel.adapters.server_config import interpreter
from satchel.ports.tool_client import Failed

_DYING_SECONDS = 0.5
_MOST_UNREAPED = 32


@dataclass(frozen=True)
class Program:
    """What is started for a server entry. ``most_line`` is in bytes; of ``environ`` very little is passed on."""

    command: Sequence[str]
    cwd: str | None
    env: Mapping[str, str]
    environ: Mapping[str, str]
    most_line: int


class StdioWire:
    """One server process. ``corner`` is where it may leave things; None: a scratch directory that goes with it."""

    def __init__(self, program: Program, corner: Path | None) -> None:
        self._program = program
        self._corner = corner or Path(tempfile.mkdtemp(prefix="satchel-"))
        self._is_scratch = corner is None
        self._own: set[int] = set()
        self._killing = threading.Lock()
        self._line = LineStdio(self._start, program.most_line)

    def connect(self) -> AbstractAsyncContextManager[TransportStreams]:
        """Start the server. Raises OSError when its program or its directory is not there."""
        return self._line.connect()

    def prepare(self) -> None:
        """Make the folders that the server's environment names."""
        prepare(self._corner)

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
        left = processes.below(process.pid) - self._own
        return len(left) <= _MOST_UNREAPED and not processes.any_living(left)

    def kill(self) -> None:
        """Kill the server and everything it started."""
        with self._killing:
            if self._line.process:
                processes.end(self._line.process)

    def close(self) -> None:
        """Remove the scratch directory."""
        if self._is_scratch:
            remove_tree(self._corner)

    def _start(self) -> subprocess.Popen[bytes]:
        program = self._program
        env = server_environment(program.env, program.environ, self._corner)
        first, *rest = interpreter(program.command)
        found = shutil.which(first, path=env.get("PATH", os.defpath))
        if found is None:
            raise FileNotFoundError(f"there is no program {first!r}")
        return processes.start([found, *rest], env, program.cwd)
