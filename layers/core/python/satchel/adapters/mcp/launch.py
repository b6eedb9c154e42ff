"""Becomes a server: ``python -I -S launch.py RUNNER_PID COMMAND…`` sets what only a process itself can set, then execs.

The kernel keeps both settings over exec. *Subreaper*: whatever the server's tools detach (setsid, double fork) stays
below the server, where it can be found. *Death signal*: when the runner dies, however it dies, the server does, too.
A script of its own, standard library only: it runs in a fresh interpreter without site-packages (3 ms).
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def main(runner: int, command: list[str]) -> None:
    """Set up this process and become ``command``. Returns only if the runner is gone already."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    for option, value in ((PR_SET_CHILD_SUBREAPER, 1), (PR_SET_PDEATHSIG, signal.SIGKILL)):
        if prctl(option, int(value), 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), f"prctl({option}) was refused")
    if os.getppid() == runner:
        os.execvp(command[0], command)  # noqa: S606  (the command is the configuration's; no shell is wanted)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
