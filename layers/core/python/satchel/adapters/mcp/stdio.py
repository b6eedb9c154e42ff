"""Connections to servers that run as local processes, each in its own sandbox with its own environment variables."""

import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from mcp.client._transport import TransportStreams

from mcp_config import WORKSPACE
from satchel.adapters.mcp import processes, server_exit
from satchel.adapters.mcp.direct_requests import DirectRequests
from satchel.adapters.mcp.error_output import ErrorOutput
from satchel.adapters.mcp.prepared_server import PreparedServer
from satchel.adapters.mcp.stdio_transport import StdioTransport
from satchel.adapters.network_variables import CERTIFICATES, NETWORK
from satchel.adapters.sandbox import probe
from satchel.adapters.sandbox.outside_changes import WATCHED_DIRECTORIES, OutsideChanges
from satchel.adapters.sandbox.policy import MAX_FILE_BYTES, SandboxPolicy, WorkspaceAccess
from satchel.adapters.sandbox.violations import ViolationReports
from satchel.adapters.server_config import resolve_python
from satchel.adapters.source_files import source_version
from satchel.adapters.tree_removal import remove_tree
from satchel.contract.errors import advise
from satchel.domain.isolation import Isolation
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import BlockedAccess, CallFailure

INHERITED = ("PATH", "LANG", "LC_ALL", "TZ")
"""Variables that servers inherit: only these, because the runner's environment contains credentials (``AWS_*``, …)."""

_FOLDERS = {"HOME": ".home", "TMPDIR": ".tmp", "XDG_CACHE_HOME": ".cache", "MPLCONFIGDIR": ".matplotlib"}
"""A server's own folders, by environment variable. Files in dot folders never count as the results of a tool."""

_PYTHON = {
    "PYTHONUTF8": "1",
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "1",  # write no bytecode: a tool could forge it in a writable directory
    "PYTHONNOUSERSITE": "1",  # a tool could put a module in the user site directory, and later servers would import it
}

_LARGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""Lets glibc (2.35 and later) ask for pages of 2 MiB. A server that returns 20 MB then needs half the CPU time."""

_EXIT_SECONDS = 2.0  # on a busy machine, this may pass between the end of the output and that of the process
_MIN_SECRET_CHARS = 8
_MAX_ZOMBIES = 32


@dataclass(frozen=True)
class ServerProgram:
    """Data for starting a server process from its configuration ``entry``.

    ``environ`` is the runner's environment. ``max_line_bytes`` limits each message of the server, and
    ``max_file_bytes`` limits each file that it writes. If ``reloads`` is True, a process whose source files have
    changed serves no further call.
    """

    entry: ServerEntry
    environ: Mapping[str, str]
    max_line_bytes: int
    isolation: Isolation
    max_file_bytes: int = MAX_FILE_BYTES
    reloads: bool = False

    def source_version(self) -> str | None:
        """Return the present version of the server's source files, or None if edits of them are ignored."""
        return source_version(self.entry) if self.reloads else None


class StdioConnection:
    """Connection to one server process, which gets a scratch folder if it cannot write in the workspace."""

    def __init__(self, program: ServerProgram, access: WorkspaceAccess) -> None:
        self._program = program
        self._access = access
        self._scratch = None if access.workspace and access.writes else Path(tempfile.mkdtemp(prefix="satchel-"))
        self._runtime_dir = self._scratch or access.workspace or Path()
        self._policy: SandboxPolicy | None = None
        self._outside_changes: OutsideChanges | None = None
        self._reports = ViolationReports()
        self._identity = self._folders_identity()
        self._source_version = program.source_version()
        self._own_processes: set[int] = set()
        self._is_ready = False
        self._killing = threading.Lock()
        self._is_killed = False
        self._process: processes.Server | None = None
        self._errors = ErrorOutput()
        self._transport = StdioTransport(
            self._start, self._errors, program.max_line_bytes, program.entry.memory_mb << 20
        )

    @property
    def resumable(self) -> None:
        """Return None: the process is the session, and it serves later calls itself."""
        return

    @property
    def is_persistent(self) -> bool:
        """Return True: a server process can serve many calls."""
        return True

    @property
    def keeps_tasks(self) -> bool:
        """Return False: the server's process has the tasks in its memory, and works only while the runner runs."""
        return False

    @property
    def direct(self) -> DirectRequests:
        """Return what sends requests to the server without the SDK."""
        return self._transport.direct

    def connect(self) -> AbstractAsyncContextManager[TransportStreams]:
        """Start the server and yield the message streams. Raise OSError if its program or directory does not exist."""
        return self._transport.connect()

    def prepare_call(self) -> None:
        """Create the server's folders (HOME, …), and discard reports of access blocked in earlier calls."""
        create_folders(self._runtime_dir, self._access.state)
        self._transport.is_active = True
        self._reports.take()
        if self._outside_changes:
            self._outside_changes.begin()

    def mark_ready(self) -> None:
        """Record which descendants belong to the server itself. With ``npx``, the actual server is one of them."""
        self._is_ready = True
        if self._process:
            self._own_processes = processes.descendants(self._process.pid)

    def size_failure(self) -> CallFailure | None:
        """Return a call failure if a message of the server exceeded the size limit, else None."""
        limit = self._program.max_line_bytes
        if not self._transport.limit_exceeded:
            return None
        return CallFailure(crashed=True, message=f"The answer is longer than {limit} bytes", exceeded_limit=limit)

    def loss_failure(self, _sdk_message: str, /) -> CallFailure | None:
        """Return a call failure that says how the server ended, or None if the server can still answer."""
        if failure := self.size_failure():
            return failure
        if self._transport.memory_exceeded:
            limit = self._program.entry.memory_mb
            message = f"The tool's server was ended because it used more than {limit} MiB of memory (`memory_mb`)"
            return CallFailure(crashed=True, message=message)
        if not self._transport.ended or self._process is None:
            return None
        server_exit.wait_for_exit(self._process, _EXIT_SECONDS)
        ending = server_exit.describe_exit(self._process) or "closed its output"
        return CallFailure(crashed=True, message=f"The tool's server {ending} before it answered{self.explanation()}")

    def explanation(self) -> str:
        """Return the last line of the server's standard error and a blocked access that it names, or an empty text."""
        line = self._errors.last_line()
        if line is None:
            return ""
        # During a call, the blocked accesses are events of the call.
        blocked = () if self._is_ready else self.take_violations(line)
        advice = f". {advise(blocked[-1].operation, may_write=self._scratch is None)}" if blocked else ""
        return f": {self._without_secrets(line)}{advice}"

    def _folders_identity(self) -> list[tuple[int, int] | None]:
        return [_identity(folder) for folder in (self._access.workspace, self._access.state)]

    def _without_secrets(self, text: str) -> str:
        """Replace values of the entry's variables, except paths, which errors must name."""
        for value in self._program.entry.env.values():
            if len(value) >= _MIN_SECRET_CHARS and not value.startswith("/"):
                text = text.replace(value, "[redacted]")
        return text

    def can_be_reused(self) -> bool:
        """Return True if the server process can serve another call: it runs, and its tool left no processes behind.

        If a tool left processes behind, they are killed together with the server. Killing only these processes would
        not help: the server may depend on them, or start them again (as process pools do).
        """
        self._transport.is_active = False  # an idle server is not measured
        process = self._process
        if process is None or self._transport.ended or server_exit.describe_exit(process):
            return False
        if self._folders_identity() != self._identity:
            return False  # a folder was replaced, but the sandbox grants access only to the old directory
        if self._program.source_version() != self._source_version:
            return False
        zombies = processes.count_zombies(process.pid, self._own_processes)
        return zombies is not None and zombies <= _MAX_ZOMBIES

    def take_violations(self, error: str | None) -> Sequence[BlockedAccess]:
        """Return the file accesses blocked during a call. An access that caused the call's ``error`` is the last."""
        reported, commands = self._reports.take()
        if error is None or self._policy is None:
            return reported
        cause = self._policy.access_bounds.find_violation(error, commands)
        if cause is None:
            return reported
        same = [access for access in reported if access.path == cause.path]
        return [*(access for access in reported if access.path != cause.path), *(same or [cause])]

    def take_outside_changes(self) -> Sequence[str]:
        """Return the paths outside the workspace that changed during the call (empty if a sandbox prevents changes)."""
        return self._outside_changes.take() if self._outside_changes else ()

    def kill(self) -> None:
        """Kill the server and all its descendants, and return when they are dead. Wait for a start in progress."""
        with self._killing:
            self._is_killed = True
            if self._process:
                processes.end(self._process)

    def close(self) -> None:
        """Close the pipes for standard error and reports, and remove the server's scratch folder."""
        self._reports.close()
        self._errors.close()
        if self._scratch is not None:
            remove_tree(self._scratch)

    def _start(self) -> processes.Server:
        state = self._access.state
        entry = with_workspace(self._program.entry, state or self._runtime_dir, self._program.environ)
        env = server_environment(entry, self._program.environ, self._runtime_dir, state)
        name, *_ = resolve_python(entry.command or [])
        program = shutil.which(name, path=env.get("PATH", os.defpath))
        if program is None:
            raise FileNotFoundError(f"there is no program {name!r}")
        if entry.cwd is not None and not Path(entry.cwd).is_dir():
            raise FileNotFoundError(f"there is no directory {entry.cwd}")
        policy = SandboxPolicy(
            entry, self._program.isolation, program, self._access, self._runtime_dir, self._program.max_file_bytes
        )
        self._policy = policy
        descriptors = [self._reports.sender] if policy.has_guard else []
        if policy.is_unprotected:
            own = [entry.cwd] if entry.cwd else entry.list_paths
            self._outside_changes = OutsideChanges([*WATCHED_DIRECTORIES, *own], self._runtime_dir)
        try:
            command = policy.server_command(self._reports.sender)
            options = list(policy.launch_options())
            # Libraries read variables when they are imported, so a server with variables of its own starts anew.
            can_be_prepared = not entry.env and PreparedServer.can_run(command, options)
            with self._killing:
                if self._is_killed:
                    raise ProcessLookupError("the server was ended before it started")
                self._process = processes.start(
                    command, env, options, descriptors, stderr=self._errors.sender, can_be_prepared=can_be_prepared
                )
                return self._process
        finally:
            self._reports.close_sender()
            self._errors.close_sender()


def with_workspace(entry: ServerEntry, runtime_dir: Path, environ: Mapping[str, str]) -> ServerEntry:
    """Return the entry with ``runtime_dir`` in place of ``${SATCHEL_WORKSPACE}``, and readable certificates."""
    place, workspace = f"${{{WORKSPACE}}}", str(runtime_dir.resolve())
    certificates = [path for name in CERTIFICATES if entry.network and (path := environ.get(name))]
    changes = {
        "command": [part.replace(place, workspace) for part in entry.command or []],
        "cwd": entry.cwd and entry.cwd.replace(place, workspace),
        "env": {name: text.replace(place, workspace) for name, text in entry.env.items()},
        "read_paths": [*entry.read_paths, *certificates],
    }
    return entry.model_copy(update=changes)


def server_environment(
    entry: ServerEntry, environ: Mapping[str, str], runtime_dir: Path, state: Path | None = None
) -> dict[str, str]:
    """Return all environment variables of a server whose own folders (HOME, TMPDIR, caches) are in ``runtime_dir``.

    ``state``, if given, contains HOME instead, and is what the server knows as its workspace. The interpreter's own
    library comes before the libraries of the server's entry: the launcher needs it, too.
    """
    names = (*INHERITED, *(NETWORK if entry.network else ()))
    inherited = {name: environ[name] for name in names if name in environ}
    folders = _own_folders(runtime_dir, state)
    libraries = probe.library_variables(environ)
    paths = [path for variables in (libraries, entry.env) if (path := variables.get(probe.LIBRARY_PATH))]
    own = {**entry.env, probe.LIBRARY_PATH: ":".join(paths)} if paths else entry.env
    return {**inherited, **_PYTHON, **_LARGE_PAGES, **folders, WORKSPACE: str((state or runtime_dir).resolve()), **own}


@lru_cache(maxsize=32)
def _own_folders(runtime_dir: Path, state: Path | None) -> Mapping[str, str]:
    """Return the server's own folders by environment variable. Only HOME contains state."""
    folders = {name: str(runtime_dir / folder) for name, folder in _FOLDERS.items()}
    return folders if state is None else folders | {"HOME": str(state / _FOLDERS["HOME"])}


def create_folders(runtime_dir: Path, state: Path | None = None) -> None:
    """Create the server's folders (HOME, …) before each call, because a new chat session empties the workspace."""
    for path in _own_folders(runtime_dir, state).values():
        with suppress(FileNotFoundError):
            if stat.S_ISDIR(os.lstat(path).st_mode):
                continue
            os.unlink(path)  # noqa: PTH108  (a text, because a Path takes a tenth of a millisecond for each call)
        Path(path).mkdir(mode=0o700, exist_ok=True)


def _identity(directory: Path | None) -> tuple[int, int] | None:
    """Return a directory's device and inode. The pair changes if another directory replaces this one."""
    if directory is None:
        return None
    try:
        status = os.stat(directory)  # noqa: PTH116  (twice as fast as Path.stat, four times for each call)
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None
