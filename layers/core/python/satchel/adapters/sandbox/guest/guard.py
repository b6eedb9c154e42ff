"""Starts a Python server; reports what its tools try outside their corner, and refuses that in the contract's words.

``python start.py OPTIONS… -- (-f FILE | -m MODULE | -c CODE) ARGUMENTS…``. It reports, and the kernel is the wall: what
native code does, or a tool that sets out to get past this, is not seen here. It runs in whatever Python a server has
(3.8 and newer), so it needs nothing but what every interpreter has loaded already.
"""

from __future__ import annotations

import posix
import sys

TYPE_CHECKING = False  # the module typing takes longer to import than all that is done here
if TYPE_CHECKING:
    from collections.abc import Callable

PATH, COMMAND, BETWEEN = b"P", b"R", b"\x1f"
"""How reports begin, and what stands between the words of a command."""

_LOOKING = posix.O_PATH
_WRITING = posix.O_WRONLY | posix.O_RDWR | posix.O_CREAT | posix.O_TRUNC
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full")
_MOST_LINKS = 8
_MOST_BYTES = 3000  # of a report: it goes into the pipe in one piece or not at all
_REFUSED = "File operation outside allowed directory"
_PERMISSION_DENIED = 13

# By audit event: where its paths stand, each with where its dir_fd does (None: it has none).
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
_OF_LINKS = frozenset(("os.mkdir", "os.rmdir", "os.remove", "os.rename", "os.link", "os.symlink"))
_LISTS = frozenset(("os.listdir", "os.scandir"))
_PROGRAMS = frozenset(("subprocess.Popen", "os.posix_spawn", "os.exec", "os.system"))
_WATCHED = frozenset(("open", "sqlite3.connect", *_CHANGES, *_LISTS, *_PROGRAMS))


class Guard:
    """Judges what the interpreter is about to do.

    ``corner``: where may be written, if anywhere; of ``hidden`` directories only what is ``kept`` may be read; all end
    in a slash. ``walled``: the kernel judges, too, so a path that looks right needs no second look here. The functions
    are the interpreter's own, taken before the server can put others in their place.
    """

    def __init__(
        self, pipe: int, corner: tuple[str, ...], hidden: tuple[str, ...], kept: tuple[str, ...], *, walled: bool
    ) -> None:
        self._pipe = pipe
        self._corner = corner
        self._hidden = hidden
        self._readable = corner + kept
        self._walled = walled
        self._getcwd, self._readlink, self._fspath = posix.getcwd, posix.readlink, posix.fspath
        self._open, self._close, self._write = posix.open, posix.close, posix.write

    @property
    def plainly_allowed(self) -> tuple[str, ...]:
        """Return how paths begin that may be opened in any way, if they do not lead back up."""
        return self._corner if self._walled else ()

    def refused(self, event: str, given: tuple[object, ...]) -> str | None:
        """Return the path for which an audit event must not happen, having reported it; None where it may."""
        found = self._judged(event, given)
        if found is not None:
            self._report(PATH, _encoded(found))
        return found

    def _judged(self, event: str, given: tuple[object, ...]) -> str | None:
        if event == "open":
            return self._opened(*given)
        places = _CHANGES.get(event)
        if places is not None:
            follow = event not in _OF_LINKS
            paths = ((given[path], -1 if fd is None else given[fd]) for path, fd in places)
            found = (self._written(path, fd, follow=follow) for path, fd in paths)
            return next((real for real in found if real is not None), None)
        if event in _LISTS:
            return self._read(given[0])
        if event == "sqlite3.connect":
            return self._connected(given[0])
        if event in _PROGRAMS:
            self._ran(given)
        return None

    def _opened(self, path: object, mode: object, flags: object) -> str | None:
        if not isinstance(flags, int) or flags & _LOOKING:
            return None
        if not flags & _WRITING:
            return self._read(path)
        if mode is None and isinstance(path, (str, bytes)) and path[:1] not in {"/", b"/"}:
            return None  # os.open: relative to a directory that the event does not name
        return self._written(path)

    def _connected(self, path: object) -> str | None:
        """A database that is not there would be made; one that is may be read."""
        text = self._absolute(path)
        if text is None or text.endswith((":memory:", "/")) or "/file:" in text:
            return None
        return self._written(text) if self._place(text) is None else self._read(text)

    def _ran(self, given: tuple[object, ...]) -> None:
        """What a command is refused only the kernel sees; who reads this may know more when it has failed."""
        words = given[1] if len(given) > 1 else given[0]
        listed = words if isinstance(words, (list, tuple)) else (words,)
        self._report(COMMAND, BETWEEN.join(_encoded(word) for word in listed))

    def _written(self, path: object, dir_fd: object = -1, *, follow: bool = True) -> str | None:
        text = self._absolute(path, dir_fd)
        if text is None or (self._walled and text.startswith(self._corner) and "/.." not in text):
            return None
        real = self._real(text, follow=follow)
        is_allowed = f"{real}/".startswith(self._corner) or real in _DEVICES or real[:1] != "/"
        return None if is_allowed else real

    def _read(self, path: object) -> str | None:
        text = self._absolute(path)
        if text is None or ("/.." not in text and self._looks_readable(f"{text}/")):
            return None
        real = self._real(text, follow=True)
        is_allowed = not f"{real}/".startswith(self._hidden) or f"{real}/".startswith(self._readable)
        return None if is_allowed else real

    def _looks_readable(self, text: str) -> bool:
        if text.startswith(self._corner):
            return self._walled  # links in there are the tool's own
        return not text.startswith(self._hidden) or text.startswith(self._readable)

    def _absolute(self, path: object, dir_fd: object = -1) -> str | None:
        """Return a path as text; None for a descriptor, and for no path at all."""
        if path is None or isinstance(path, int):
            return None
        found = path if isinstance(path, (str, bytes)) else self._fspath(path)  # type: ignore[call-overload]  # or raises
        text: str = found.decode("utf-8", "surrogateescape") if isinstance(found, bytes) else found
        if text[:1] == "/":
            return text
        base = self._link(f"/proc/self/fd/{dir_fd}") if isinstance(dir_fd, int) and dir_fd >= 0 else self._getcwd()
        return f"{base}/{text}"

    def _real(self, text: str, *, follow: bool, links: int = _MOST_LINKS) -> str:
        """Return where a path leads to as the kernel sees it, also where its last part is not there yet."""
        parent, _, name = text.rstrip("/").rpartition("/")
        if follow or name in {"", ".", ".."}:
            found = self._place(text)
            if found is not None:
                return found
            target = self._link(text)
            if target is not None and links:
                return self._real(target if target[:1] == "/" else f"{parent}/{target}", follow=True, links=links - 1)
        found = self._place(parent or "/")
        return _normal(text) if found is None else f"{found.rstrip('/')}/{name}"

    def _place(self, path: str) -> str | None:
        try:
            fd = self._open(path, _LOOKING)
        except (OSError, ValueError):  # not there, or no path at all
            return None
        try:
            return self._link(f"/proc/self/fd/{fd}")
        finally:
            self._close(fd)

    def _link(self, path: str) -> str | None:
        try:
            return self._readlink(path)
        except (OSError, ValueError):
            return None

    def _report(self, kind: bytes, text: bytes) -> None:
        try:
            self._write(self._pipe, kind + text.replace(b"\n", b" ")[:_MOST_BYTES] + b"\n")
        except OSError:  # full, or closed by the tool: the wall holds without a word, too
            return


def hook_of(guard: Guard) -> Callable[[str, tuple[object, ...]], None]:
    """Return the audit hook. It is called for whatever the interpreter does, so it decides the usual at once."""
    plain = guard.plainly_allowed

    def hook(event: str, given: tuple[object, ...], judge: Guard | None = guard) -> None:
        if event not in _WATCHED:
            return
        first = given[0]
        if type(first) is str and first.startswith(plain) and "/.." not in first and event == "open":
            return
        path = judge.refused(event, given) if judge else None
        if path is not None:
            del judge  # the error shows this frame to whoever catches it
            raise PermissionError(_PERMISSION_DENIED, _REFUSED, path)

    return hook


def start(kind: str, target: str, rest: list[str]) -> None:
    """Run a file, a module or a line of code as ``python`` would."""
    sys.argv = [target if kind != "-c" else "-c", *rest]
    own_directory = _parent_of(target) if kind == "-f" else posix.getcwd()
    if not getattr(sys.flags, "safe_path", False) and not sys.flags.isolated:
        sys.path.insert(0, own_directory)
    if kind == "-m":
        import runpy  # noqa: PLC0415  (the others do without)

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
    exec(compile(source, target, "exec", dont_inherit=True), main.__dict__)  # noqa: S102  (to start a server is this)


def _parent_of(path: str) -> str:
    fd = posix.open(path, _LOOKING)
    try:
        return posix.readlink(f"/proc/self/fd/{fd}").rpartition("/")[0] or "/"
    finally:
        posix.close(fd)


def _normal(text: str) -> str:
    """Take ``.`` and ``..`` out of a path by its text alone."""
    parts: list[str] = []
    for part in text.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in {"", "."}:
            parts.append(part)
    return "/" + "/".join(parts)


def _encoded(word: object) -> bytes:
    return word if isinstance(word, bytes) else str(word).encode("utf-8", "surrogateescape")


def _read_options(options: list[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {"corner": (), "hide": (), "keep": (), "pipe": (), "walled": ()}
    for option in options:
        name, _, value = option.partition("=")
        found[name] += (value,)
    return found


def main() -> None:
    """Put the hook in place and start the server."""
    split = sys.argv.index("--")
    options, (kind, target, *rest) = _read_options(sys.argv[1:split]), sys.argv[split + 1 :]
    corner, hidden, kept = (tuple(f"{path}/" for path in options[name]) for name in ("corner", "hide", "keep"))
    pipe = int(options["pipe"][0])
    posix.set_inheritable(pipe, False)  # noqa: FBT003  (positional only)
    # A directory of the import path that cannot be read anyway would be reported with every import.
    sys.path[:] = [path for path in sys.path if not f"{path}/".startswith(hidden) or f"{path}/".startswith(kept)]
    sys.addaudithook(hook_of(Guard(pipe, corner, hidden, kept, walled=bool(options["walled"]))))
    start(kind, target, rest)
