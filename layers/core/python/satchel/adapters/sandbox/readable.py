"""What a server may read besides its own corner: the system, its program with its libraries, its own directory.

Everything else is people's or the runner's, and is not there for it: what an entry wants besides it lists
(``read_paths``).
"""

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from satchel.domain.servers import ServerEntry

PEOPLES = ("/home", "/root", "/tmp", "/var/tmp")  # noqa: S108  (places to hide, nothing is put there)
"""Where people and programs keep what is theirs."""

DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

_SYSTEM = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/var/lang",
    "/var/runtime",
    "/var/task",
    "/var/cache/fontconfig",
    "/sys/devices/system/cpu",
]
_ABOUT_THE_MACHINE = [
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/loadavg",
    "/proc/uptime",
    "/proc/version",
    "/proc/filesystems",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/kernel/cap_last_cap",
    "/proc/sys/kernel/random",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/vm/max_map_count",
]
_SETTINGS = "/etc"
_RESOLVER = "/etc/resolv.conf"  # often a link into /run
_BINARIES = frozenset({"bin", "sbin"})
_OF_AN_INSTALLATION = ("pyvenv.cfg", "lib", "lib64", "libexec")
_ANYBODY_ENTERS = stat.S_IROTH | stat.S_IXOTH
_NODE = ("node_modules", "package.json")
GUEST = Path(__file__).parent / "guest"
"""Beside its own files a Python server reads these."""


def readable(entry: ServerEntry, program: str) -> list[str]:
    """Return the paths that a server may read; ``program`` is what its command starts, found."""
    home = Path(entry.cwd) if entry.cwd else Path.cwd()
    own = [str(home), *_of_node(home), *entry.read_paths]
    return list(dict.fromkeys([*_system(), *_libraries(program), *own, str(GUEST)]))


def hidden(home: Path | None) -> list[str]:
    """Return the directories of which a server sees nothing but what is its own; links among them are left out."""
    around = [str(home.parent)] if home else []
    places = [place for place in dict.fromkeys([*PEOPLES, *around]) if _is_real_directory(place)]
    return [place for place in places if not any(place.startswith(f"{other}/") for other in places)]


@cache
def _system() -> tuple[str, ...]:
    return (*_SYSTEM, *_ABOUT_THE_MACHINE, *_open_to_all(_SETTINGS), os.path.realpath(_RESOLVER))


def _open_to_all(directory: str) -> list[str]:
    """Return what of a directory everybody may read: the directory itself where that is so for all of it.

    Root owns most of it, so a runner that is root must not go by what the kernel would let it read.
    """
    found: list[str] = []
    whole = True
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_symlink():
                continue
            mode = entry.stat(follow_symlinks=False).st_mode
            wanted = _ANYBODY_ENTERS if stat.S_ISDIR(mode) else stat.S_IROTH
            is_open = mode & wanted == wanted
            parts = [entry.path] if is_open and not stat.S_ISDIR(mode) else _open_to_all(entry.path) if is_open else []
            whole = whole and parts == [entry.path]
            found += parts
    return [directory] if whole else sorted(found)


def _libraries(program: str) -> Sequence[str]:
    if program == sys.executable:
        return [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix]
    found = Path(program)
    return [str(place) for binary in _links(found) for place in _installation(binary)]


def _of_node(home: Path) -> list[str]:
    """Node looks for its packages in all directories above, too."""
    return [str(place) for above in home.parents for name in _NODE if (place := above / name).exists()]


def _links(path: Path) -> Iterator[Path]:
    """Yield a path and what it leads to, link by link: each may stand in an installation of its own."""
    yield path
    while path.is_symlink():
        path = path.parent / path.readlink()
        yield Path(os.path.normpath(path))


def _installation(binary: Path) -> Iterator[Path]:
    """Yield the place of a program, with the tree that it is installed in where it stands in one."""
    above = binary.parent.parent
    is_installed = binary.parent.name in _BINARIES and any((above / name).exists() for name in _OF_AN_INSTALLATION)
    is_somebodys_home = above == Path.home() or str(above.parent) in PEOPLES or str(above) in {"/", *PEOPLES}
    yield above if is_installed and not is_somebodys_home else binary.parent
    yield from _base_of_venv(above / "pyvenv.cfg")
    yield from _packages_beside(binary)


def _packages_beside(script: Path) -> Iterator[Path]:
    """Yield the packages among which a program for Node is installed: it is made of others."""
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
