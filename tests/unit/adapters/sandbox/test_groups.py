"""Where a server's processes are counted if it is root's, and what must be written for that."""

import os
from pathlib import Path

import pytest

from satchel.adapters.sandbox import groups


@pytest.mark.skipif(os.geteuid() != 0, reason="groups are for root alone")
def test_a_group_is_entered_by_a_child_and_removed_after_it() -> None:
    child = os.fork()
    if child == 0:
        entered = groups.enter(5)
        os._exit(0 if not entered or "satchel-" in Path("/proc/self/cgroup").read_text() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    groups.leave_none(child)

    assert not list(Path("/sys/fs/cgroup").glob(f"**/satchel-{child}"))


def test_of_what_was_never_there_nothing_is_removed() -> None:
    groups.leave_none(2**22 + 1)
