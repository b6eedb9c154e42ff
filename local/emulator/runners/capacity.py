"""Numbers of runner environments that this machine can hold and start, from its memory and processors."""

import os
from pathlib import Path, PurePosixPath

import psutil

ENVIRONMENT_BYTES = 100 << 20
"""Memory that a runner and its idle server need: about 30 MiB of their own for the runner, and 60 for the server."""

MIN_ENVIRONMENTS, MAX_ENVIRONMENTS = 8, 128
_SHARE = 2  # runners get one half of the memory: tools at work need more, and so do the server and the system
_CGROUPS = Path("/sys/fs/cgroup")
_OWN_GROUPS = Path("/proc/self/cgroup")
_STARTS_PER_PROCESSOR = 2  # in ``make load`` on two processors, 1 or 8 starts at a time were slower than 2 to 4


def default_starts() -> int:
    """Return how many environments may start at the same time. If more did, all would be ready only at the end."""
    return _STARTS_PER_PROCESSOR * len(os.sched_getaffinity(0))


def default_environments() -> int:
    """Return how many environments may exist unless a setting says otherwise: 8 to 128, depending on the memory."""
    return environments_for(memory_limit())


def environments_for(memory: int) -> int:
    """Return how many environments fit into half of this memory (in bytes), but at least 8 and at most 128."""
    return min(MAX_ENVIRONMENTS, max(MIN_ENVIRONMENTS, memory // _SHARE // ENVIRONMENT_BYTES))


def memory_limit(groups: Path = _OWN_GROUPS, root: Path = _CGROUPS) -> int:
    """Return the bytes of memory that this process and its children may use: the machine's, or a control group's.

    ``groups`` lists this process's control groups, which are folders below ``root``. The limits of all parent groups
    apply too. In a container, the listed path may be that of the host: then its own group is ``root`` itself.
    """
    limits = [psutil.virtual_memory().total]
    try:
        lines = groups.read_text(encoding="utf-8").splitlines()
    except OSError:
        return limits[0]
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers in {"", "memory"}:
            name = "memory.limit_in_bytes" if controllers else "memory.max"
            group = PurePosixPath(controllers, path.lstrip("/"))
            limits += [limit for each in (group, *group.parents) if (limit := _read_limit(root / each / name))]
    return min(limits)


def _read_limit(file: Path) -> int | None:
    """Return the limit in bytes, or None if the group or the limit does not exist."""
    try:
        text = file.read_text(encoding="ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None
