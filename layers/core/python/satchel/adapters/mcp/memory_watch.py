"""Measures the memory of a server with all its processes. The kernel limits each process (``RLIMIT_DATA``), not all.

A control group could limit the sum, but most containers do not let a process create one with a memory controller.
"""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import anyio

from satchel.adapters.mcp import processes

_INTERVAL_SECONDS = 0.2
_PAGE = os.sysconf("SC_PAGE_SIZE")
_COUNTED = ("Pss_Anon:", "Pss_Shmem:", "SwapPss:")


async def wait_until_exceeded(pid: int, max_bytes: int, is_active: Callable[[], bool]) -> None:
    """Return when a process and its descendants use more memory. Measure only while ``is_active`` returns True."""
    while True:
        await anyio.sleep(_INTERVAL_SECONDS)
        if is_active() and exceeds({pid, *processes.descendants(pid)}, max_bytes):
            return


def exceeds(pids: Iterable[int], max_bytes: int) -> bool:
    """Return True if processes use more memory. Files that they only map into memory do not count."""
    found = list(pids)
    # The exact size takes a hundred times as long to read, so look at the upper bound first.
    return sum(map(_resident, found)) > max_bytes and sum(map(_own, found)) > max_bytes


def _resident(pid: int) -> int:
    """Return the bytes in memory, which count pages that processes share for each of them."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    return 0


def _own(pid: int) -> int:
    """Return the bytes of a process without mapped files, and with its part of pages that it shares."""
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(_COUNTED))
    return _resident(pid)
