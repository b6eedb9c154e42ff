"""Program that enters the sandbox and then becomes a server: ``main(["runner=PID", "read=/usr", …, "--", COMMAND…])``.

The sandbox stays in effect after exec, and applies to all descendants of the server. The server becomes a *subreaper*:
it adopts every process that its tools detach (setsid, double fork). So the runner finds these processes among the
server's descendants. A *death signal* kills the server when the runner dies for any reason. This program fails if it
cannot apply a requested layer. But it skips each safeguard that the machine refuses, because machines such as Lambda's
filter system calls: a missing death signal must not prevent that tools run.

All options can be repeated. Options without a path are ``runner`` (pid), ``layer`` (landlock, seccomp, mounts),
``network=no``, ``processes`` (number) and ``limit=RLIMIT_…:value``. Options with a path are ``cwd``, ``read``, ``list``
(read the names in a directory, but not its files), ``write``, ``device`` and ``hide``.
"""

from __future__ import annotations

import os

from satchel.adapters.sandbox import landlock, limits, mounts, seccomp

_PRIVATE_FILES = 0o077


def main(arguments: list[str]) -> None:
    """Enter the sandbox and execute the server. Raise OSError if this fails. Return only if the runner has died."""
    command = enter(arguments)
    if command:
        os.execv(command[0], command)  # noqa: S606  (the command comes from the configuration and needs no shell)


def enter(arguments: list[str]) -> list[str]:
    """Enter the sandbox and return the server's command, or an empty list if the runner has died. Raise OSError."""
    split = arguments.index("--")
    options, command = _parse(arguments[:split]), arguments[split + 1 :]
    [runner] = map(int, options["runner"])
    limits.without_refused(lambda: os.umask(_PRIVATE_FILES))
    for cwd in options.get("cwd", []):
        os.chdir(cwd)
    limits.without_refused(os.setsid, limits.become_subreaper)
    enter_sandbox(options, runner)
    parent = os.getppid()
    return command if parent == runner or parent < 0 else []  # below 0: a filter refuses getppid, so go on unchecked


def enter_sandbox(options: dict[str, list[str]], runner: int) -> None:
    """Apply the requested layers to this process. The order matters: each step drops rights that earlier steps need."""
    layers, network = options.get("layer", []), "no" not in options.get("network", [])
    reads, writes, devices = (options.get(kind, []) for kind in ("read", "write", "device"))
    if os.geteuid() == 0:
        for number in map(int, options.get("processes", [])):
            limits.enter_cgroup(number)
    if "mounts" in layers:
        mounts.enter(options.get("hide", []), reads, writes)
    limits.without_refused(
        lambda: _set_limits(options, has_user_namespace="mounts" in layers),
        limits.drop_privileges,
        limits.die_with_parent,
    )
    landlock_blocks_signals = False
    if "landlock" in layers:
        rights = [(path, landlock.READ) for path in reads]
        rights += [(path, landlock.READ_FILE) for path in limits.limit_files()]
        rights += [(path, landlock.READ_DIR) for path in options.get("list", [])]
        rights += [(path, landlock.WRITE) for path in writes]
        rights += [(path, landlock.DEVICE) for path in devices]
        landlock.restrict(rights, network=network)
        landlock_blocks_signals = landlock.version() >= landlock.SCOPES_SINCE
    if "seccomp" in layers:
        seccomp.install(network=network, runner=None if landlock_blocks_signals else runner, mounts="mounts" in layers)


def _parse(options: list[str]) -> dict[str, list[str]]:
    parsed: dict[str, list[str]] = {}
    for option in options:
        name, _, value = option.partition("=")
        parsed.setdefault(name, []).append(value)
    return parsed


def _set_limits(options: dict[str, list[str]], *, has_user_namespace: bool) -> None:
    """Set the resource limits of this process.

    The kernel counts processes (RLIMIT_NPROC) per user. Without a user namespace, threads that are already running
    count too, so add their number to the limit.
    """
    requested = {name: int(value) for name, _, value in (text.partition(":") for text in options.get("limit", []))}
    for number in map(int, options.get("processes", [])):
        requested["RLIMIT_NPROC"] = number + (0 if has_user_namespace else limits.running_threads())
    limits.set_limits(requested)
