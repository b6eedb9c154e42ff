"""Using up what is there for all."""

import mmap
import os
import signal

from .ground import Ground, attack, wanted

MIB = 1 << 20


@attack
def large_file(ground: Ground) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open(ground.mine / "large", "wb", buffering=0) as file:
        for _ in range(80):
            wanted(success=file.write(bytes(MIB)) == MIB)


@attack
def sparse_file(ground: Ground) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open(ground.mine / "sparse", "wb") as file:
        file.truncate(1 << 40)


@attack
def many_files(ground: Ground) -> None:
    for _ in range(5000):
        os.open("/dev/null", os.O_RDONLY)


@attack
def much_memory(ground: Ground) -> None:
    pieces = [mmap.mmap(-1, 1024 * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) for _ in range(16)]
    wanted(success=len(pieces) == 16)


@attack
def more_of_everything(_: Ground) -> None:
    import resource  # noqa: PLC0415  (not everywhere)

    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


@attack
def many_processes(ground: Ground) -> None:
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
