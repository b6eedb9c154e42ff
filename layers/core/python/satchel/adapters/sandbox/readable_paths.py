"""Lists what a server can read outside the workspace: system files, and its own program, libraries and directory.

All other files belong to users or to the runner, and the server cannot see them. A server's entry in mcp.json can list
more readable paths (``read_paths``).
"""

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from satchel.domain.servers import ServerEntry

PRIVATE_DIRECTORIES = ("/home", "/root", "/tmp", "/var/tmp")  # noqa: S108  (only hidden, never written)
"""Directories with private data of users and programs, which a server sees as almost empty."""

DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

_SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store"]
_LAMBDA = ["/var/lang", "/var/runtime", "/var/task"]
_CACHES = ["/var/cache/fontconfig", "/sys/devices/system/cpu"]
_MACHINE = ["/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/uptime"]
_KERNEL = ["/proc/version", "/proc/filesystems", "/proc/sys/kernel/osrelease", "/proc/sys/kernel/cap_last_cap"]
_SETTINGS = ["/proc/sys/kernel/random", "/proc/sys/vm/overcommit_memory", "/proc/sys/vm/max_map_count"]
KERNEL_FILES = [*_MACHINE, *_KERNEL, *_SETTINGS]
"""Readable paths in ``/proc`` that are the same for all processes."""

_READABLE_BY_ALL = [*_SYSTEM, *_LAMBDA, *_CACHES, "/proc/self", *KERNEL_FILES]
_CONFIGURATION = "/etc"
_RESOLVER = "/etc/resolv.conf"  # often a symbolic link into /run, so servers need access to its target
_BINARIES = frozenset({"bin", "sbin"})
_INSTALLATION_MARKERS = ("pyvenv.cfg", "lib", "lib64", "libexec")
_WORLD_ENTERABLE = stat.S_IROTH | stat.S_IXOTH
_NODE_PACKAGES = ("node_modules", "package.json")
GUEST = Path(__file__).parent / "guest"
"""Directory of the guest modules, which every Python server must be able to read."""


def readable_paths(entry: ServerEntry, program: str) -> list[str]:
    """Return the paths that a server can read. ``program`` is the absolute path of the server's program."""
    directories = [entry.cwd] if entry.cwd else [*entry.list_paths, *entry.read_paths]
    packages = [path for directory in directories for path in _node_packages(Path(directory))]
    own = [entry.cwd] if entry.cwd else []
    return list(dict.fromkeys([*system_paths(), *_libraries(program), *own, *packages, *entry.read_paths, str(GUEST)]))


def hidden_directories(workspace: Path | None) -> list[str]:
    """Return the directories in which a server sees only the paths that it may read. Skip symbolic links."""
    around = [str(workspace.parent)] if workspace else []
    paths = [path for path in dict.fromkeys([*PRIVATE_DIRECTORIES, *around]) if _is_real_directory(path)]
    return [path for path in paths if not any(path.startswith(f"{other}/") for other in paths)]


@cache
def system_paths() -> tuple[str, ...]:
    """Return the paths that every server can read. The first call in a process searches ``/etc``."""
    return (*_READABLE_BY_ALL, *_world_readable(_CONFIGURATION), os.path.realpath(_RESOLVER))


def _world_readable(directory: str) -> list[str]:
    """Return the world-readable paths in a directory, or the directory itself if everything in it is world-readable.

    Check file modes instead of trying to read: a runner that is root can read everything, but its servers must not.
    """
    readable: list[str] = []
    is_whole = True
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_symlink():
                continue
            mode = entry.stat(follow_symlinks=False).st_mode
            required = _WORLD_ENTERABLE if stat.S_ISDIR(mode) else stat.S_IROTH
            is_open = mode & required == required
            is_file = not stat.S_ISDIR(mode)
            parts = [entry.path] if is_open and is_file else _world_readable(entry.path) if is_open else []
            is_whole = is_whole and parts == [entry.path]
            readable += parts
    return [directory] if is_whole else sorted(readable)


def _libraries(program: str) -> Sequence[str]:
    if program == sys.executable:
        return [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix]
    return [str(path) for binary in _link_chain(Path(program)) for path in _installation(binary)]


def _node_packages(directory: Path) -> list[str]:
    """Return each ``node_modules`` and ``package.json`` in a parent of the directory, because Node searches there."""
    return [str(path) for above in directory.parents for name in _NODE_PACKAGES if (path := above / name).exists()]


def _link_chain(path: Path) -> Iterator[Path]:
    """Yield a path and all targets in its chain of symbolic links. Each target can belong to another installation."""
    yield path
    while path.is_symlink():
        path = path.parent / path.readlink()
        yield Path(os.path.normpath(path))


def _installation(binary: Path) -> Iterator[Path]:
    """Yield the directories that a program needs: its installation prefix, or its own directory if it has none."""
    above = binary.parent.parent
    is_installed = binary.parent.name in _BINARIES and any((above / name).exists() for name in _INSTALLATION_MARKERS)
    is_private = str(above.parent) in PRIVATE_DIRECTORIES or str(above) in {"/", *PRIVATE_DIRECTORIES}
    home = os.path.expanduser("~")
    yield above if is_installed and not is_private and str(above) != home else binary.parent
    yield from _base_of_venv(above / "pyvenv.cfg")
    yield from _sibling_packages(binary)


def _sibling_packages(script: Path) -> Iterator[Path]:
    """Yield the ``node_modules`` directory that contains a Node program, which imports packages from that directory."""
    if "node_modules" in script.parts:
        yield Path(*script.parts[: script.parts.index("node_modules") + 1])


def _base_of_venv(config: Path) -> Iterator[Path]:
    try:
        lines = config.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        name, _, value = (part.strip() for part in line.partition("="))
        if name == "home":
            yield Path(value).resolve().parent


def _is_real_directory(path: str) -> bool:
    return os.path.isdir(path) and os.path.realpath(path) == path
