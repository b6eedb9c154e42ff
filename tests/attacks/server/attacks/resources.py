"""Using up shared resources."""

import mmap
import os
import signal

from .framework import Target, attack, require

MIB = 1 << 20


@attack
def large_file(target: Target) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open(target.mine / "large", "wb", buffering=0) as file:
        for _ in range(80):
            require(success=file.write(bytes(MIB)) == MIB)


@attack
def sparse_file(target: Target) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open(target.mine / "sparse", "wb") as file:
        file.truncate(1 << 40)


@attack
def many_open_files(target: Target) -> None:
    for _ in range(5000):
        os.open("/dev/null", os.O_RDONLY)


@attack
def large_memory(target: Target) -> None:
    pieces = [mmap.mmap(-1, 1024 * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) for _ in range(16)]
    require(success=len(pieces) == 16)


@attack
def raise_resource_limit(_: Target) -> None:
    import resource  # noqa: PLC0415  (not on every platform)

    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


@attack
def many_processes(target: Target) -> None:
    children = []
    try:
        for _number in range(60):
            child = os.fork()
            if child == 0:
                signal.pause()
            children.append(child)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
