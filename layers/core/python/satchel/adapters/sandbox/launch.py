"""Becomes a server: ``main(["runner=PID", "read=/usr", …, "--", COMMAND…])`` puts up the walls, then execs the command.

What is set here the kernel keeps over exec, and for all that the server starts. *Subreaper*: whatever the server's
tools detach (setsid, double fork) stays below the server, where it can be found. *Death signal*: when the runner dies,
however it dies, the server does, too. It fails rather than leave out a wall that was asked for.

The options, each as often as wanted: ``runner`` (pid), ``cwd``, ``read``, ``write``, ``device``, ``hide``, ``own``
(paths; what is one's own is not made read-only, which libraries look at, but ``write`` alone lets write),
``limit=RLIMIT_…:value``, ``processes`` (number), ``network=no``, ``layer`` (landlock, seccomp, mounts).
"""

from __future__ import annotations

import os

from satchel.adapters.sandbox import groups, landlock, limits, mounts, seccomp, syscalls

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PRIVATE_FILES = 0o077
_SIGKILL = 9  # the module signal takes longer to import than everything here


def main(arguments: list[str]) -> None:
    """Set up this process and become the command. Returns only if the runner is gone already. Raises OSError."""
    split = arguments.index("--")
    options, command = _read(arguments[:split]), arguments[split + 1 :]
    [runner] = map(int, options["runner"])
    os.umask(_PRIVATE_FILES)
    for cwd in options.get("cwd", []):
        os.chdir(cwd)
    syscalls.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    put_up(options, runner)
    if os.getppid() == runner:
        os.execv(command[0], command)  # noqa: S606  (the command is the configuration's; no shell is wanted)


def put_up(options: dict[str, list[str]], runner: int) -> None:
    """Put up the walls around this process, each while those before it still let that be done."""
    layers, network = options.get("layer", []), "no" not in options.get("network", [])
    reads, writes, devices = (options.get(kind, []) for kind in ("read", "write", "device"))
    if os.geteuid() == 0:
        for number in map(int, options.get("processes", [])):
            groups.enter(number)
    if "mounts" in layers:
        mounts.enter(options.get("hide", []), reads, sorted({*writes, *options.get("own", [])}))
    _limit(options, own_count="mounts" in layers)
    limits.give_up_privileges()
    syscalls.prctl(_PR_SET_PDEATHSIG, _SIGKILL)
    signals_kept_in = False
    if "landlock" in layers:
        rights = [(path, landlock.READ) for path in reads]
        rights += [(path, landlock.WRITE) for path in writes]
        rights += [(path, landlock.DEVICE) for path in devices]
        landlock.restrict(rights, network=network)
        signals_kept_in = landlock.version() >= landlock.SCOPES_SINCE
    if "seccomp" in layers:
        seccomp.install(network=network, runner=None if signals_kept_in else runner, mounts="mounts" in layers)


def _read(options: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for option in options:
        name, _, value = option.partition("=")
        found.setdefault(name, []).append(value)
    return found


def _limit(options: dict[str, list[str]], *, own_count: bool) -> None:
    """Set the limits. In a user namespace of its own a server's processes are counted alone, else with all others."""
    wanted = {name: int(value) for name, _, value in (text.partition(":") for text in options.get("limit", []))}
    for number in map(int, options.get("processes", [])):
        wanted["RLIMIT_NPROC"] = number + (0 if own_count else limits.running_threads())
    limits.set_limits(wanted)
