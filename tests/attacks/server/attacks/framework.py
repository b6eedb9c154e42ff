"""Target and registry of the attacks, and helpers for them."""

import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Target:
    """Objects to attack. The tool can write in ``mine``; it must neither change nor read ``out`` and ``bob``.

    ``new`` is a path in ``out`` that does not exist yet. ``port`` is a TCP port with a listener, ``socket`` the name of
    an abstract socket, and ``runner`` the process id of the runner.
    """

    mine: Path
    out: Path
    bob: Path
    port: int
    socket: str
    runner: int
    new: Path


Attack = Callable[[Target], object]
ATTACKS: dict[str, Attack] = {}
LIBC = ctypes.CDLL(None, use_errno=True)


def attack(function: Attack) -> Attack:
    """Register an attack."""
    ATTACKS[function.__name__] = function
    return function


def syscall(number: int, *arguments: object) -> int:
    """Make a system call by its number on x86_64."""
    result: int = LIBC.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def require(*, success: bool, problem: str = "it had no effect") -> None:
    """Raise if an attack had no effect although no error was raised."""
    if not success:
        raise OSError(0, problem)
