"""Tests that measure seconds run before the other processes of the machine."""

import os
import subprocess
import threading

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


def test_process_that_has_ended_is_ignored() -> None:
    with subprocess.Popen(["/bin/true"]) as child:
        pass

    with prioritized(child.pid):
        assert priority(threading.get_native_id()) == -20
