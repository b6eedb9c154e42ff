"""Where an attack takes place, and the list that it stands in."""

import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Ground:
    """``mine`` may be written; ``out`` and ``bob`` must stay untouched and unread; ``runner`` is its process.

    ``new`` is a path in ``out`` where nothing is yet. ``port`` is a TCP port of this machine on which somebody listens,
    ``socket`` the name of an abstract socket.
    """

    mine: Path
    out: Path
    bob: Path
    port: int
    socket: str
    runner: int
    new: Path


Attack = Callable[[Ground], object]
ATTACKS: dict[str, Attack] = {}
LIBC = ctypes.CDLL(None, use_errno=True)


def attack(function: Attack) -> Attack:
    """Put an attack into the list. It returns if it had its way, and raises if it was stopped."""
    ATTACKS[function.__name__] = function
    return function


def syscall(number: int, *arguments: object) -> int:
    """Make a system call by its number on x86_64."""
    result: int = LIBC.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def wanted(*, success: bool, problem: str = "it had no effect") -> None:
    """Raise where the attack did not have its way although nothing was refused."""
    if not success:
        raise OSError(0, problem)
