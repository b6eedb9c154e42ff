"""The end of the thread that watches environments."""

import os
import threading
import time

from local.emulator.runners.supervisor import Supervisor


def test_wake_up_after_the_end_of_the_thread_writes_to_no_descriptor() -> None:
    """The thread may notice that it must end before ``end`` wakes it up, for example when an environment exits."""
    supervisor = Supervisor(on_exit=lambda _: None, on_wake=lambda _: None)
    supervisor.end(timeout=10)
    assert not [thread for thread in threading.enumerate() if thread.name == "runner-supervisor"]
    reused = [os.eventfd(0, os.EFD_NONBLOCK) for _ in range(20)]  # among them the number that the thread has closed

    supervisor.end(timeout=10)
    supervisor.wake_by(time.monotonic())

    try:
        assert [descriptor for descriptor in reused if _is_written(descriptor)] == []
    finally:
        for descriptor in reused:
            os.close(descriptor)


def _is_written(descriptor: int) -> bool:
    try:
        return bool(os.eventfd_read(descriptor))
    except BlockingIOError:
        return False
