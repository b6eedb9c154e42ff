"""The place that attacks are aimed at, looked at from outside: an attack may say what it likes."""

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SERVER = Path(__file__).parent / "server"
PLAIN = Path(__file__).parents[1] / "servers"
SECRET = "bobs-secret-4711"
ENTRY: dict[str, Any] = {
    "command": ["python", "main.py"],
    "cwd": str(SERVER),
    "read_paths": [str(PLAIN)],
    "network": False,
    "process_limits": {"file_mb": 64, "processes": 50},
}
NOT_FOR_ROOT = {"many_processes"}
"""The kernel does not count root's processes, except in a control group, which root may not always make."""


@dataclass
class Arena:
    """``out`` and ``bob`` must stay as they are; nobody may knock at the ``listeners``."""

    out: Path
    bob: Path
    listeners: dict[str, socket.socket]
    socket: str
    before: dict[str, object] = field(default_factory=dict)

    @property
    def ground(self) -> dict[str, Any]:
        """Return what the attacker is told."""
        port = self.listeners["tcp"].getsockname()[1]
        return {"out": str(self.out), "bob": str(self.bob), "port": port, "socket": self.socket}

    def look(self) -> dict[str, object]:
        """Return everything that an attack could have changed."""
        found: dict[str, object] = {}
        for top in (self.out, self.bob):
            for path in (top, *sorted(top.rglob("*"))):
                state = path.lstat()
                content = path.read_bytes() if path.is_file() else b""
                attributes = os.listxattr(path, follow_symlinks=False)
                found[str(path)] = (state.st_mode, state.st_uid, state.st_mtime_ns, state.st_nlink, content, attributes)
        for place in (Path("/dev/shm/satchel-attack"), self.out.parent / "satchel-attack", SERVER / "planted.py"):
            found[str(place)] = os.path.lexists(place)
        return found

    def visitors(self) -> list[str]:
        """Return the names of the listeners at which somebody knocked."""
        return [name for name, listener in self.listeners.items() if _has_visitor(listener)]


@contextmanager
def arena(out: Path, bob: Path) -> Iterator[Arena]:
    """Set everything up in two directories, which must not be there yet."""
    for place in (out, bob):
        place.mkdir()
    (out / "canary").write_text("canary")
    (out / "folder").mkdir()
    (bob / "secret").write_text(SECRET)
    name = f"satchel-{os.getpid()}-{out.name}"
    with ExitStack() as stack:
        listeners = {kind: stack.enter_context(_listener(kind, out, name)) for kind in _KINDS}
        made = Arena(out, bob, listeners, name)
        made.before = made.look()
        yield made


_KINDS = ("tcp", "udp", "abstract", "abstract datagrams", "socket", "datagrams")


def _listener(kind: str, out: Path, name: str) -> socket.socket:
    family = socket.AF_INET if kind in {"tcp", "udp"} else socket.AF_UNIX
    made = socket.socket(family, socket.SOCK_DGRAM if kind == "udp" or "datagrams" in kind else socket.SOCK_STREAM)
    addresses: dict[str, Any] = {
        "abstract": f"\0{name}",
        "abstract datagrams": f"\0{name}-datagrams",
        "socket": str(out / "socket"),
        "datagrams": str(out / "datagrams"),
    }
    made.bind(addresses.get(kind, ("127.0.0.1", 0)))
    made.settimeout(0)
    if made.type == socket.SOCK_STREAM:
        made.listen(128)
    return made


def _has_visitor(listener: socket.socket) -> bool:
    try:
        if listener.type == socket.SOCK_STREAM:
            listener.accept()[0].close()
        else:
            listener.recv(1)
    except BlockingIOError:
        return False
    return True
