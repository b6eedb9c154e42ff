"""Tests that measure seconds run before the other processes of the machine."""

import gc
import os
import subprocess
import threading
from pathlib import Path

import pytest

from tests.priority import prioritized

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can raise a priority")


def priority(thread: int) -> int:
    return os.getpriority(os.PRIO_PROCESS, thread)


def test_threads_and_child_processes_have_priority_until_the_block_ends() -> None:
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    with subprocess.Popen(["/bin/sleep", "100"]) as child:
        assert thread.native_id
        ids = [threading.get_native_id(), thread.native_id, child.pid]
        before = [priority(each) for each in ids]

        with prioritized():
            inside = [priority(each) for each in ids]
        after = [priority(each) for each in ids]

        child.kill()
    ended.set()
    thread.join()
    assert (before, inside, after) == ([0, 0, 0], [-20, -20, -20], [0, 0, 0])


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="this kernel has no autogroups")
def test_sessions_have_priority_until_the_block_ends() -> None:
    def session_priorities() -> list[str]:
        return [Path(f"/proc/{pid}/autogroup").read_text().split()[-1] for pid in (os.getpid(), child.pid)]

    with subprocess.Popen(["/bin/sleep", "100"], start_new_session=True) as child:
        before = session_priorities()
        with prioritized():
            inside = session_priorities()
        after = session_priorities()
        child.kill()
    assert (before, inside, after) == (["0", "0"], ["-20", "-20"], ["0", "0"])


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="the run has no workers")
def test_worker_has_a_session_of_its_own() -> None:
    assert os.getsid(0) == os.getpid()


def test_no_garbage_is_collected_until_the_block_ends() -> None:
    with prioritized():
        inside = gc.isenabled()
    assert (inside, gc.isenabled()) == (False, True)


def test_process_that_has_ended_is_ignored() -> None:
    with subprocess.Popen(["/bin/true"]) as child:
        pass

    with prioritized(child.pid):
        assert priority(threading.get_native_id()) == -20
