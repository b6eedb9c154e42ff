"""Decides what one server process can access, and builds the command and options that start it in a sandbox."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from satchel.adapters.sandbox.readable_paths import DEVICES, GUEST, hidden_directories, readable_paths
from satchel.adapters.sandbox.violations import AccessBounds
from satchel.domain.isolation import Isolation
from satchel.domain.servers import ServerEntry

MAX_FILE_BYTES = 50 << 30

_MIB = 1 << 20
_MEMORY_FACTOR = 4

_PYTHON = re.compile(r"python(3(\.\d+)?)?t?")
_OPTION = re.compile(r"-(?P<before>[a-zA-Z]*?)(?P<letter>[cmWX])(?P<value>.*)", re.DOTALL)
_LONG_WITH_VALUE = "--check-hash-based-pycs"
_FILE = "-f"


@dataclass(frozen=True)
class WorkspaceAccess:
    """A server process's access to the user's workspace: none (``workspace`` is None), read only, or read and write.

    A process that cannot write in the workspace has a scratch folder instead (HOME, TMPDIR, caches), which is removed
    when the process ends. This includes a process that is started only to list its tools. A process with ``state``, a
    folder that outlasts the user's chat sessions, can also write there, and has its HOME there.
    """

    workspace: Path | None = None
    writes: bool = False
    state: Path | None = None


@dataclass(frozen=True)
class SandboxPolicy:
    """Sandbox of one server process. ``program`` is the absolute path of the program in the server's command.

    ``runtime_dir`` contains the process's own folders (HOME, TMPDIR, caches). It is the workspace, or the scratch
    folder of a process that cannot write in the workspace. The process can write there and in the ``state`` of the
    access, and nowhere else.
    """

    entry: ServerEntry
    isolation: Isolation
    program: str
    access: WorkspaceAccess
    runtime_dir: Path
    max_file_bytes: int = MAX_FILE_BYTES

    @property
    def access_bounds(self) -> AccessBounds:
        """Return the paths that the process can access. They help to find the blocked path that made a call fail."""
        return AccessBounds(self.writable, self._reads, self._hidden)

    @cached_property
    def writable(self) -> list[str]:
        """Return the directories in which the process can write. It starts in the first, unless it has a ``cwd``."""
        return [str(path.resolve()) for path in (self.access.state, self.runtime_dir) if path]

    @property
    def has_guard(self) -> bool:
        """Return True if the server is a Python program: the guard inside it then blocks and reports file access."""
        return self._python is not None

    @property
    def is_unprotected(self) -> bool:
        """Return True if neither a guard nor the kernel stops the server from writing outside its workspace."""
        return not self.has_guard and self.isolation.level != "kernel"

    def server_command(self, pipe: int) -> Sequence[str]:
        """Return the command that starts the server.

        The command starts a Python server with a guard, which reports blocked file access to the descriptor ``pipe``.
        """
        python = self._python
        if python is None:
            return [self.program, *(self.entry.command or [])[1:]]
        options = [
            f"pipe={pipe}",
            *(f"workspace={path}" for path in self.writable),
            *(f"hide={path}" for path in self._hidden),
            *(f"allow={path}" for path in self._reads if any(path.startswith(f"{top}/") for top in self._hidden)),
            *(f"list={path}" for path in self.entry.list_paths),
            *(["kernel=yes"] if "landlock" in self.isolation.layers else []),
            *(["no_cwd=yes"] if self.entry.cwd is None else []),
        ]
        return [self.program, *python.flags, "-s", str(GUEST / "start.py"), *options, "--", python.start, *python.rest]

    def launch_options(self) -> Iterator[str]:
        """Yield the command-line options for the program ``launch``, which enters the sandbox and starts the server."""
        yield f"cwd={self.entry.cwd or self.writable[0]}"
        yield from (f"layer={layer}" for layer in sorted(self.isolation.layers))
        yield from (f"read={path}" for path in self._reads)
        yield from (f"list={path}" for path in self.entry.list_paths)
        yield from (f"write={path}" for path in self.writable)
        yield from (f"device={path}" for path in DEVICES)
        yield from (f"hide={path}" for path in self._hidden)
        yield f"network={'yes' if self.entry.network else 'no'}"
        yield from self._limits()

    @cached_property
    def _python(self) -> "PythonCommand | None":
        return parse_python_command([self.program, *(self.entry.command or [])[1:]])

    @property
    def _workspace(self) -> str | None:
        return str(self.access.workspace.resolve()) if self.access.workspace else None

    @cached_property
    def _reads(self) -> list[str]:
        workspace = [self._workspace] if self._workspace else []
        return [*readable_paths(self.entry, self.program), *self.writable, *workspace]

    @cached_property
    def _hidden(self) -> list[str]:
        return hidden_directories(self.access.workspace)

    def _limits(self) -> Iterator[str]:
        limits = self.entry.process_limits
        yield f"processes={limits.processes}"
        # Allow one byte more than the file size limit, so that a file that is cut off here is recognized as too large.
        yield f"limit=RLIMIT_FSIZE:{self.max_file_bytes + 1}"
        yield f"limit=RLIMIT_NOFILE:{limits.open_files}"
        yield f"limit=RLIMIT_DATA:{_MEMORY_FACTOR * self.entry.memory_mb * _MIB}"
        if limits.address_space_mb is not None:
            yield f"limit=RLIMIT_AS:{limits.address_space_mb * _MIB}"


@dataclass(frozen=True)
class PythonCommand:
    """Parsed command line of a Python program.

    ``flags`` are the interpreter's options; ``start`` is ``-c`` (code), ``-m`` (module) or ``-f`` (file); ``rest`` is
    the code, module or file, followed by the program's arguments.
    """

    flags: tuple[str, ...]
    start: str
    rest: tuple[str, ...]


def parse_python_command(command: Sequence[str]) -> PythonCommand | None:
    """Parse a command. Return None unless it runs a file, a module or code (``-c``) in Python."""
    program, *arguments = command
    if not _PYTHON.fullmatch(Path(program).name):
        return None
    flags: list[str] = []
    while arguments:
        argument = arguments.pop(0)
        if not argument.startswith("-"):
            return PythonCommand(tuple(flags), _FILE, (argument, *arguments))
        option = _OPTION.fullmatch(argument)
        if option and option["letter"] in "cm":
            rest = [option["value"], *arguments] if option["value"] else arguments
            before = [f"-{option['before']}"] if option["before"] else []
            return PythonCommand((*flags, *before), f"-{option['letter']}", tuple(rest)) if rest else None
        flags.append(argument)
        if arguments and (argument == _LONG_WITH_VALUE or (option and not option["value"])):
            flags.append(arguments.pop(0))
    return None
