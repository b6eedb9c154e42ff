"""Starts a Python server with an audit hook that blocks and reports file access outside the workspace.

Usage: ``python start.py OPTIONS… -- (-f FILE | -m MODULE | -c CODE) ARGUMENTS…``. The guard only adds clear errors and
reports; the kernel provides the security, because native code and hostile tools can bypass the guard. It runs in the
server's own Python (3.8 or newer), so it uses only modules that every interpreter has already loaded.
"""

from __future__ import annotations

import posix
import sys

TYPE_CHECKING = False  # TYPE_CHECKING is set here because importing typing takes longer than importing this module
if TYPE_CHECKING:
    from collections.abc import Callable

READ, WRITE, COMMAND, ARGUMENT_SEPARATOR = b"R", b"W", b"C", b"\x1f"
"""Report format: the first byte is the kind (blocked read, blocked write, command); the last separates arguments."""

_PATH_ONLY = posix.O_PATH
_WRITING = posix.O_WRONLY | posix.O_RDWR | posix.O_CREAT | posix.O_TRUNC
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full")
_MAX_LINKS = 8
_MAX_BYTES = 3000  # maximum report size: below PIPE_BUF (4096), so that each write to the pipe is atomic
_MESSAGES = {READ: "File read outside allowed directories", WRITE: "File operation outside allowed directory"}
_PERMISSION_DENIED = 13

# Audit events that change files. Each has pairs: the index of a path argument, and of its dir_fd argument (or None).
_CHANGES = {
    "os.mkdir": ((0, 2),),
    "os.rmdir": ((0, 1),),
    "os.remove": ((0, 1),),
    "os.rename": ((0, 2), (1, 3)),
    "os.link": ((1, 3),),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, None),),
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.utime": ((0, 3),),
    "os.setxattr": ((0, None),),
    "os.removexattr": ((0, None),),
}
_NOT_FOLLOWING = frozenset(("os.mkdir", "os.rmdir", "os.remove", "os.rename", "os.link", "os.symlink"))
_LISTS = frozenset(("os.listdir", "os.scandir"))
_PROGRAMS = frozenset(("subprocess.Popen", "os.posix_spawn", "os.exec", "os.system"))
_WATCHED = frozenset(("open", "sqlite3.connect", *_CHANGES, *_LISTS, *_PROGRAMS))


class Guard:
    """Decides whether a Python server's code may access a file, and reports blocked paths to the descriptor ``pipe``.

    ``workspace`` contains the only directories in which files can be written. In ``hidden`` directories, only files in
    ``workspace`` and ``allowed``, and the names in ``listed`` directories, can be read. Each path in these arguments
    must end in a slash. ``kernel_enforced`` is True if the kernel checks each access too. The guard then accepts a path
    that looks allowed without resolving its symbolic links. The guard stores the functions of ``posix`` that it uses,
    because the server's code could replace them later.
    """

    def __init__(
        self,
        pipe: int,
        workspace: tuple[str, ...],
        hidden: tuple[str, ...],
        allowed: tuple[str, ...],
        *,
        listed: tuple[str, ...] = (),
        kernel_enforced: bool,
    ) -> None:
        self._pipe = pipe
        self._listed = listed
        self._workspace = workspace
        self._hidden = hidden
        self._readable = workspace + allowed
        self._kernel_enforced = kernel_enforced
        self._getcwd, self._readlink, self._fspath = posix.getcwd, posix.readlink, posix.fspath
        self._open, self._close, self._write = posix.open, posix.close, posix.write

    @property
    def trusted_prefixes(self) -> tuple[str, ...]:
        """Return directories in which ``open`` needs no further check if the path contains no ``/..``."""
        return self._workspace if self._kernel_enforced else ()

    def blocked_access(self, event: str, arguments: tuple[object, ...]) -> tuple[bytes, str] | None:
        """Return ``(READ or WRITE, path)`` if an audit event is a file access that must be blocked, else None.

        Also send a report of the blocked access to the runner.
        """
        blocked = self._check(event, arguments)
        if blocked is not None:
            kind, path = blocked
            self._report(kind, _encoded(path))
        return blocked

    def _check(self, event: str, arguments: tuple[object, ...]) -> tuple[bytes, str] | None:
        if event == "open":
            return self._check_open(*arguments)
        positions = _CHANGES.get(event)
        if positions is not None:
            follow = event not in _NOT_FOLLOWING
            paths = ((arguments[path], -1 if fd is None else arguments[fd]) for path, fd in positions)
            checked = (self._check_write(path, fd, follow=follow) for path, fd in paths)
            return next((blocked for blocked in checked if blocked is not None), None)
        if event in _LISTS:
            return None if f"{self._absolute(arguments[0])}/" in self._listed else self._check_read(arguments[0])
        if event == "sqlite3.connect":
            return self._check_database(arguments[0])
        if event in _PROGRAMS:
            self._report_command(arguments)
        return None

    def _check_open(self, path: object, mode: object, flags: object) -> tuple[bytes, str] | None:
        if not isinstance(flags, int) or flags & _PATH_ONLY:
            return None
        if not flags & _WRITING:
            return self._check_read(path)
        if mode is None and isinstance(path, (str, bytes)) and path[:1] not in {"/", b"/"}:
            return None  # a relative path in os.open cannot be checked: the event does not contain its dir_fd
        return self._check_write(path)

    def _check_database(self, path: object) -> tuple[bytes, str] | None:
        """Check read access to an existing SQLite file, or write access to a new file, which SQLite would create."""
        text = self._absolute(path)
        if text is None or text.endswith((":memory:", "/")) or "/file:" in text:
            return None
        return self._check_write(text) if self._resolve(text) is None else self._check_read(text)

    def _report_command(self, event_arguments: tuple[object, ...]) -> None:
        """Report a command that a tool runs. If the tool call fails, the runner searches it for a blocked path."""
        command = event_arguments[1] if len(event_arguments) > 1 else event_arguments[0]
        arguments = command if isinstance(command, (list, tuple)) else (command,)
        self._report(COMMAND, ARGUMENT_SEPARATOR.join(_encoded(argument) for argument in arguments))

    def _check_write(self, path: object, dir_fd: object = -1, *, follow: bool = True) -> tuple[bytes, str] | None:
        text = self._absolute(path, dir_fd)
        if text is None or (self._kernel_enforced and text.startswith(self._workspace) and "/.." not in text):
            return None
        real = self._real_path(text, follow=follow)
        is_allowed = f"{real}/".startswith(self._workspace) or real in _DEVICES or real[:1] != "/"
        return None if is_allowed else (WRITE, real)

    def _check_read(self, path: object) -> tuple[bytes, str] | None:
        text = self._absolute(path)
        if text is None or ("/.." not in text and self._looks_readable(f"{text}/")):
            return None
        real = self._real_path(text, follow=True)
        is_allowed = not f"{real}/".startswith(self._hidden) or f"{real}/".startswith(self._readable)
        return None if is_allowed else (READ, real)

    def _looks_readable(self, text: str) -> bool:
        if text.startswith(self._workspace):
            # Tools can create symbolic links in a workspace. If the kernel does not check access, resolve the links.
            return self._kernel_enforced
        return not text.startswith(self._hidden) or text.startswith(self._readable)

    def _absolute(self, path: object, dir_fd: object = -1) -> str | None:
        """Return the absolute path, or None if ``path`` is a descriptor or None. Relative paths start at ``dir_fd``."""
        if path is None or isinstance(path, int):
            return None
        raw = path if isinstance(path, (str, bytes)) else self._fspath(path)  # type: ignore[call-overload]  # TypeError if not a path
        text: str = raw.decode("utf-8", "surrogateescape") if isinstance(raw, bytes) else raw
        if text[:1] == "/":
            return text
        base = (
            self._link_target(f"/proc/self/fd/{dir_fd}") if isinstance(dir_fd, int) and dir_fd >= 0 else self._getcwd()
        )
        return f"{base}/{text}"

    def _real_path(self, text: str, *, follow: bool, links: int = _MAX_LINKS) -> str:
        """Resolve the symbolic links in a path as the kernel does. The last component of the path may be missing."""
        parent, _, name = text.rstrip("/").rpartition("/")
        if follow or name in {"", ".", ".."}:
            real = self._resolve(text)
            if real is not None:
                return real
            target = self._link_target(text)
            if target is not None and links:
                return self._real_path(
                    target if target[:1] == "/" else f"{parent}/{target}", follow=True, links=links - 1
                )
        real_parent = self._resolve(parent or "/")
        return _normalized(text) if real_parent is None else f"{real_parent.rstrip('/')}/{name}"

    def _resolve(self, path: str) -> str | None:
        try:
            fd = self._open(path, _PATH_ONLY)
        except (OSError, ValueError):  # the path does not exist or is not valid
            return None
        try:
            return self._link_target(f"/proc/self/fd/{fd}")
        finally:
            self._close(fd)

    def _link_target(self, path: str) -> str | None:
        try:
            return self._readlink(path)
        except (OSError, ValueError):
            return None

    def _report(self, kind: bytes, text: bytes) -> None:
        try:
            self._write(self._pipe, kind + text.replace(b"\n", b" ")[:_MAX_BYTES] + b"\n")
        except OSError:  # if the pipe is full or closed, the report is lost, but the access is still blocked
            return


def make_hook(guard: Guard) -> Callable[[str, tuple[object, ...]], None]:
    """Return the audit hook. Python calls it for every audit event, so it returns early in the most frequent cases."""
    trusted = guard.trusted_prefixes

    def hook(event: str, arguments: tuple[object, ...], guard: Guard | None = guard) -> None:
        if event not in _WATCHED:
            return
        first = arguments[0]
        if type(first) is str and first.startswith(trusted) and "/.." not in first and event == "open":
            return
        blocked = guard.blocked_access(event, arguments) if guard else None
        if blocked is not None:
            del guard  # remove this reference: a tool could reach the guard through the error's traceback
            kind, path = blocked
            raise PermissionError(_PERMISSION_DENIED, _MESSAGES[kind], path)

    return hook


def start(kind: str, target: str, rest: list[str], *, is_isolated: bool) -> None:
    """Run a Python program like the ``python`` command. ``kind`` is ``-f`` (file), ``-m`` (module) or ``-c`` (code).

    If ``is_isolated`` is True, the program's own directory is not added to the import path (``python -I`` or ``-P``).
    """
    sys.argv = [target if kind != "-c" else "-c", *rest]
    own_directory = _parent_of(target) if kind == "-f" else posix.getcwd()
    if not is_isolated:
        sys.path.insert(0, own_directory)
    if kind == "-m":
        import runpy  # noqa: PLC0415  (only -m needs it)

        runpy.run_module(target, run_name="__main__", alter_sys=True)
        return
    main = type(sys)("__main__")
    sys.modules["__main__"] = main
    if kind == "-f":
        target = target if target[:1] == "/" else f"{posix.getcwd()}/{target}"
        main.__file__ = target
        with open(target, "rb") as file:
            source: str | bytes = file.read()
    else:
        source, target = target, "<string>"
    exec(compile(source, target, "exec", dont_inherit=True), main.__dict__)  # noqa: S102  (the server's own code)


def _parent_of(path: str) -> str:
    fd = posix.open(path, _PATH_ONLY)
    try:
        return posix.readlink(f"/proc/self/fd/{fd}").rpartition("/")[0] or "/"
    finally:
        posix.close(fd)


def _normalized(text: str) -> str:
    """Resolve ``.`` and ``..`` in a path as text, without access to the file system."""
    parts: list[str] = []
    for part in text.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in {"", "."}:
            parts.append(part)
    return "/" + "/".join(parts)


def _encoded(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")


def _parse_options(options: list[str]) -> dict[str, tuple[str, ...]]:
    parsed: dict[str, tuple[str, ...]] = {"workspace": (), "hide": (), "allow": (), "pipe": (), "kernel": ()}
    parsed |= {"list": (), "no_cwd": ()}
    for option in options:
        name, _, value = option.partition("=")
        parsed[name] += (value,)
    return parsed


def main() -> None:
    """Install the audit hook, then start the server that the command line names."""
    run(sys.argv[1:], is_isolated=bool(getattr(sys.flags, "safe_path", False) or sys.flags.isolated))


def run(arguments: list[str], *, is_isolated: bool) -> None:
    """Install the audit hook, then start the server that ``arguments`` name. See ``start`` for ``is_isolated``."""
    split = arguments.index("--")
    options, (kind, target, *rest) = _parse_options(arguments[:split]), arguments[split + 1 :]
    workspace, hidden, allowed, listed = (
        tuple(f"{path}/" for path in options[name]) for name in ("workspace", "hide", "allow", "list")
    )
    pipe = int(options["pipe"][0])
    posix.set_inheritable(pipe, False)  # noqa: FBT003  (positional only)
    # Remove unreadable directories from the import path: otherwise each import would report them as blocked.
    sys.path[:] = [path for path in sys.path if not f"{path}/".startswith(hidden) or f"{path}/".startswith(allowed)]
    guard = Guard(pipe, workspace, hidden, allowed, listed=listed, kernel_enforced=bool(options["kernel"]))
    sys.addaudithook(make_hook(guard))
    del guard  # only the hook may refer to the guard
    # Without a directory of its own, the server starts in one that it can write: import nothing from there.
    start(kind, target, rest, is_isolated=is_isolated or (kind != "-f" and bool(options["no_cwd"])))
