"""Decides which walls stand around a server's process, and says so to ``launch`` and ``guest``."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from satchel.adapters.sandbox.python_command import PythonCommand, read_python
from satchel.adapters.sandbox.readable import DEVICES, GUEST, hidden, readable
from satchel.adapters.sandbox.refusals import Bounds
from satchel.domain.isolation import Isolation
from satchel.domain.servers import ServerEntry

_MIB = 1 << 20
_MEMORY_FACTOR = 4


@dataclass(frozen=True)
class Corner:
    """What of the person's directory a process has: none of it (``home`` is None), to read, or to write, too.

    Who ``writes`` without a home, which only a server does that is asked for its tools, has its lodging alone.
    """

    home: Path | None = None
    writes: bool = False


@dataclass(frozen=True)
class Walls:
    """Around one process. ``program`` is what the command starts, found.

    ``lodging`` has the process's own folders (HOME and such): in the corner of who may write there, elsewhere empty.
    """

    entry: ServerEntry
    isolation: Isolation
    program: str
    corner: Corner
    lodging: Path

    @property
    def bounds(self) -> Bounds:
        """Return what may be reached, to judge by what was not."""
        return Bounds(self.corner.home if self.corner.writes else None, self._reads, self._hidden)

    @property
    def is_python(self) -> bool:
        """Tell whether the server starts by way of the guest, which reports."""
        return self._python is not None

    @property
    def is_open(self) -> bool:
        """Tell whether nothing would stop the server from writing outside: no guard in it, no kernel before it."""
        return not self.is_python and self.isolation.level != "kernel"

    def server(self, pipe: int) -> Sequence[str]:
        """Return the command of the server; ``pipe`` is where a guest reports to."""
        python = self._python
        if python is None:
            return [self.program, *(self.entry.command or [])[1:]]
        kept = [path for path in self._reads if any(path.startswith(f"{place}/") for place in self._hidden)]
        told = [
            f"pipe={pipe}",
            *(f"corner={path}" for path in self._writes),
            *(f"hide={path}" for path in self._hidden),
        ]
        told += [f"keep={path}" for path in kept]
        told += ["walled=yes"] if "landlock" in self.isolation.layers else []
        return [self.program, *python.flags, "-s", str(GUEST / "start.py"), *told, "--", python.start, *python.rest]

    def options(self) -> Iterator[str]:
        """Yield what ``launch`` is told to do before it becomes the server."""
        yield from (f"cwd={self.entry.cwd}" for _ in range(self.entry.cwd is not None))
        yield from (f"layer={layer}" for layer in sorted(self.isolation.layers))
        yield from (f"read={path}" for path in self._reads)
        yield from (f"write={path}" for path in self._writes)
        yield from (f"device={path}" for path in DEVICES)
        yield from (f"hide={path}" for path in self._hidden)
        yield f"own={self.lodging.resolve()}"
        yield f"network={'yes' if self.entry.network else 'no'}"
        yield from self._limits()

    @property
    def _python(self) -> PythonCommand | None:
        return read_python([self.program, *(self.entry.command or [])[1:]])

    @property
    def _home(self) -> str | None:
        return str(self.corner.home.resolve()) if self.corner.home else None

    @property
    def _reads(self) -> list[str]:
        return [*readable(self.entry, self.program), str(self.lodging.resolve()), *([self._home] if self._home else [])]

    @property
    def _writes(self) -> list[str]:
        return [self._home or str(self.lodging.resolve())] if self.corner.writes else []

    @property
    def _hidden(self) -> list[str]:
        return hidden(self.corner.home)

    def _limits(self) -> Iterator[str]:
        limits = self.entry.process_limits
        yield f"processes={limits.processes}"
        yield f"limit=RLIMIT_FSIZE:{limits.file_mb * _MIB}"
        yield f"limit=RLIMIT_NOFILE:{limits.open_files}"
        yield f"limit=RLIMIT_DATA:{_MEMORY_FACTOR * self.entry.memory_mb * _MIB}"
        if limits.address_space_mb is not None:
            yield f"limit=RLIMIT_AS:{limits.address_space_mb * _MIB}"
