"""Where a server's processes are counted if it is root's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from satchel.adapters.sandbox import limits

ENTERS = """
import os
from satchel.adapters.sandbox import limits
entered = limits.enter(5)
assert not entered or f"satchel-{os.getpid()}" in open("/proc/self/cgroup").read()
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="groups are for root alone")
def test_a_group_is_entered_by_the_process_and_removed_after_it() -> None:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", ENTERS], env=environ) as child:  # noqa: S603  (our own line)
        assert child.wait() == 0
    limits.leave_none(child.pid)

    assert not list(Path("/sys/fs/cgroup").glob(f"**/satchel-{child.pid}"))


def test_where_there_was_none_none_is_removed() -> None:
    limits.leave_none(2**22 + 1)
