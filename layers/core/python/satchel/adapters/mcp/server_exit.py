"""Waits for the exit of a server process, and describes it. Never reaps the process, so its exit status stays readable.

The kernel reports the exit through a descriptor (``pidfd_open``). Machines such as Lambda's filter system calls. So if
the kernel refuses this one, the functions ask for the state of the process again and again.
"""

import os
import select
import signal
import time

import anyio

from satchel.adapters.mcp import processes

_POLL_SECONDS = 0.02


async def wait(pid: int) -> None:
    """Wait on the event loop until a child of this process exits."""
    fd = _open_pidfd(pid)
    if fd is None:
        while not _has_exited(pid):  # noqa: ASYNC110  (the kernel offers no event)
            await anyio.sleep(_POLL_SECONDS)
        return
    try:
        await anyio.wait_readable(fd)
    finally:
        os.close(fd)


def wait_for_exit(process: processes.Server, seconds: float) -> None:
    """Wait at most ``seconds`` until a server exits. Do not reap it, so that its exit status stays readable."""
    fd = _open_pidfd(process.pid)
    if fd is not None:
        try:
            select.select([fd], [], [], seconds)
        finally:
            os.close(fd)
        return
    deadline = time.monotonic() + seconds
    while not _has_exited(process.pid) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)


def describe_exit(process: processes.Server) -> str | None:
    """Return how a server ended, such as "ended with exit code 1", or None if it is still running. Do not reap it."""
    code = process.returncode
    if code is None:
        try:
            status = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        except ChildProcessError:
            return "ended"
        except OSError:  # the kernel refuses the system call, so the exit code stays unknown
            return "ended" if _has_exited(process.pid) else None
        if status is None:
            return None
        code = status.si_status if status.si_code == os.CLD_EXITED else -status.si_status
    return f"ended with exit code {code}" if code >= 0 else f"was ended by {_signal_name(-code)}"


def _open_pidfd(pid: int) -> int | None:
    """Return a descriptor that becomes readable when a process exits, or None if the process is gone.

    Return None also if the kernel refuses the system call. The caller must then ask ``_has_exited`` again and again.
    """
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def _has_exited(pid: int) -> bool:
    """Return True if a child of this process has exited. Do not reap it."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
    except ChildProcessError:
        return True
    except OSError:  # the kernel refuses the system call
        return not processes.any_alive([pid])


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
