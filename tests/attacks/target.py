"""Target of the attacks, observed from outside, because the outcome that an attack reports proves nothing."""

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SERVER = Path(__file__).parent / "server"
SERVERS = Path(__file__).parents[2] / "functions" / "servers"
MCP_SERVERS = Path(__file__).parents[1] / "mcp_servers"
SECRET = "bobs-secret-4711"
ENTRY: dict[str, Any] = {
    "command": ["python", "main.py"],
    "cwd": str(SERVER),
    "read_paths": [str(MCP_SERVERS)],
    "network": False,
    "process_limits": {"file_mb": 64, "processes": 50},
    "silence_seconds": 250,  # all attacks of a call, on a busy machine
}
KEEPING_ENTRY = ENTRY | {"writes": "keep"}
"""The same server with a folder for each user that outlasts the user's sessions."""
DOCUMENTS_ENTRY: dict[str, Any] = ENTRY | {
    "cwd": str(SERVER.parent / "document_server"),
    "read_paths": [str(SERVER), str(SERVERS / "documents")],
}
"""The server `documents` with a reader that a hostile file controls."""
NOT_FOR_ROOT = {"many_processes"}
"""The kernel limits root's processes only in a control group, which root cannot create on every machine."""


@dataclass
class AttackTarget:
    """Directories ``out`` and ``bob`` must stay unchanged, and no attack must connect to the ``listeners``."""

    out: Path
    bob: Path
    listeners: dict[str, socket.socket]
    socket: str
    before: dict[str, object] = field(default_factory=dict)

    @property
    def fields(self) -> dict[str, Any]:
        """Return the fields of the target for the attacking server."""
        port = self.listeners["tcp"].getsockname()[1]
        return {"out": str(self.out), "bob": str(self.bob), "port": port, "socket": self.socket}

    def snapshot(self) -> dict[str, object]:
        """Return the state of everything that an attack could change."""
        states: dict[str, object] = {}
        for top in (self.out, self.bob):
            for path in (top, *sorted(top.rglob("*"))):
                state = path.lstat()
                content = path.read_bytes() if path.is_file() else b""
                attributes = os.listxattr(path, follow_symlinks=False)
                states[str(path)] = (
                    state.st_mode,
                    state.st_uid,
                    state.st_mtime_ns,
                    state.st_nlink,
                    content,
                    attributes,
                )
        for path in (Path("/dev/shm/satchel-attack"), self.out.parent / "satchel-attack", SERVER / "planted.py"):
            states[str(path)] = os.path.lexists(path)
        return states

    def contacted_listeners(self) -> list[str]:
        """Return the names of the listeners that received a connection or a datagram."""
        return [name for name, listener in self.listeners.items() if _was_contacted(listener)]


@contextmanager
def create_target(out: Path, bob: Path) -> Iterator[AttackTarget]:
    """Create a target in two new directories."""
    for directory in (out, bob):
        directory.mkdir()
    (out / "canary").write_text("canary")
    (out / "folder").mkdir()
    (bob / "secret").write_text(SECRET)
    name = f"satchel-{os.getpid()}-{out.name}"
    with ExitStack() as stack:
        listeners = {kind: stack.enter_context(_listener(kind, out, name)) for kind in _KINDS}
        target = AttackTarget(out, bob, listeners, name)
        target.before = target.snapshot()
        yield target


_KINDS = ("tcp", "udp", "abstract", "abstract datagrams", "socket", "datagrams")


def _listener(kind: str, out: Path, name: str) -> socket.socket:
    family = socket.AF_INET if kind in {"tcp", "udp"} else socket.AF_UNIX
    listener = socket.socket(family, socket.SOCK_DGRAM if kind == "udp" or "datagrams" in kind else socket.SOCK_STREAM)
    addresses: dict[str, Any] = {
        "abstract": f"\0{name}",
        "abstract datagrams": f"\0{name}-datagrams",
        "socket": str(out / "socket"),
        "datagrams": str(out / "datagrams"),
    }
    listener.bind(addresses.get(kind, ("127.0.0.1", 0)))
    listener.settimeout(0)
    if listener.type == socket.SOCK_STREAM:
        listener.listen(128)
    return listener


def _was_contacted(listener: socket.socket) -> bool:
    try:
        if listener.type == socket.SOCK_STREAM:
            listener.accept()[0].close()
        else:
            listener.recv(1)
    except BlockingIOError:
        return False
    return True
