"""Run a command as Lambda does: ``python -m tests.refused_calls.lambda_sandbox OPTIONS… -- COMMAND…``.

The command runs with a read-only file system, 512 MB in ``/tmp``, an empty ``/dev/shm``, at most 1024 files and 1024
processes and, if this process is root, as an unprivileged user. The options, which can be repeated, are:

- ``read=PATH``: the command can read this path, also if it is in a private directory;
- ``hide=PATH``: the command finds this directory empty;
- ``empty=PATH``: the same, and the targets of ``bind`` in this directory are created;
- ``bind=SOURCE:TARGET``: the command finds SOURCE at TARGET, which exists or is in ``/tmp`` or an ``empty`` directory;
- ``offline=FD:PORT``: the command has no network. Listening sockets of PORT and the next port on its loopback
  interface are sent through the Unix socket FD, so that servers outside can answer the command;
- ``refuse=ERROR:CALLS``: these system calls fail with an error number (see ``refused_calls``).
"""

import fcntl
import os
import resource
import socket
import struct
import sys
from collections.abc import Sequence
from pathlib import Path

from satchel.adapters.sandbox import mounts, syscalls
from tests.refused_calls import refused_calls

USER = 993
TMP_MEGABYTES = 512
MAX_FILES = MAX_PROCESSES = 1024
_BIND, _READ_ONLY, _REMOUNT, _NO_SUID, _NO_DEVICES = 4096, 1, 32, 2, 4
_NEW_NETWORK, _SET_FLAGS, _UP_AND_RUNNING = 0x40000000, 0x8914, 0x41
_PRIVATE = ("/root", "/home", "/dev/shm")


def main(arguments: Sequence[str]) -> None:
    """Enter the sandbox and execute the command."""
    split = arguments.index("--")
    options = [argument.partition("=")[::2] for argument in arguments[:split]]
    values: dict[str, list[str]] = {kind: [] for kind in ("read", "hide", "empty", "bind", "offline", "refuse")}
    for name, value in options:
        values[name].append(value)
    _mount(values["read"], values["hide"], values["empty"], values["bind"])
    for value in values["offline"]:
        fd, _, port = value.partition(":")
        _disconnect(int(fd), int(port))
    resource.setrlimit(resource.RLIMIT_NOFILE, (MAX_FILES, MAX_FILES))
    resource.setrlimit(resource.RLIMIT_NPROC, (MAX_PROCESSES, MAX_PROCESSES))
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(USER)
        os.setuid(USER)
    for refused in values["refuse"]:
        error, _, calls = refused.partition(":")
        refused_calls.refuse(calls.split(","), int(error))
    os.execv(arguments[split + 1], list(arguments[split + 1 :]))  # noqa: S606  (the test's command)


def _mount(read: Sequence[str], hide: Sequence[str], empty: Sequence[str], bind: Sequence[str]) -> None:
    pairs = [tuple(pair.split(":")) for pair in bind] + [(path, path) for path in read if path.startswith("/tmp/")]
    sources = [source for source, _ in pairs]
    mounts.enter([*(path for path in _PRIVATE if Path(path).is_dir()), *hide], [*read, *sources], ())
    opened = [os.open(source, os.O_PATH) for source in sources]  # before another /tmp covers them
    _call_mount("tmp", "/tmp", "tmpfs", _NO_SUID | _NO_DEVICES, f"mode=1777,size={TMP_MEGABYTES}m")
    for directory in empty:
        _call_mount("empty", directory, "tmpfs", _NO_SUID | _NO_DEVICES, "mode=755,size=1m")
    for fd, (_, target) in zip(opened, pairs, strict=True):
        if any(Path(target).is_relative_to(directory) for directory in ("/tmp", *empty)):
            Path(target).mkdir(parents=True, exist_ok=True)
        _call_mount(f"/proc/self/fd/{fd}", target, None, _BIND)
        _call_mount(None, target, None, _BIND | _REMOUNT | _READ_ONLY | _NO_SUID)
        os.close(fd)
    for directory in empty:
        _call_mount(None, directory, None, _REMOUNT | _READ_ONLY | _NO_SUID | _NO_DEVICES)


def _disconnect(fd: int, first_port: int) -> None:
    """Move this process into a network namespace that has only a loopback interface."""
    syscalls.call("unshare", _NEW_NETWORK)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SET_FLAGS, struct.pack("16sH14x", b"lo", _UP_AND_RUNNING))
    listeners = [socket.create_server(("127.0.0.1", first_port + number)) for number in range(2)]
    with socket.socket(fileno=fd) as channel:
        socket.send_fds(channel, [b"listeners"], [listener.fileno() for listener in listeners])
    for listener in listeners:
        listener.close()


def _call_mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind, data)]
    syscalls.checked(syscalls.LIBC.mount(*texts[:3], flags, texts[3]), f"mount on {target}")


if __name__ == "__main__":
    main(sys.argv[1:])
