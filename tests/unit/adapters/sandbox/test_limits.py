"""Control group that limits the number of root's processes."""

import os
import subprocess
import sys

import pytest

from satchel.adapters.sandbox import limits

SCRIPT = """
import os
from satchel.adapters.sandbox import limits
entered = limits.enter_cgroup(5)
assert not entered or f"satchel-{os.getpid()}" in open("/proc/self/cgroup").read()
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can create a control group")
def test_cgroup_is_entered_and_removed_after_exit() -> None:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", SCRIPT], env=environ) as child:  # noqa: S603  (a fixed script)
        assert child.wait() == 0
    limits.remove_cgroup(child.pid)

    groups = [folder for folder, _, _ in os.walk("/sys/fs/cgroup")]  # Path.glob fails if a group vanishes meanwhile
    assert not [group for group in groups if group.endswith(f"/satchel-{child.pid}")]


def test_remove_cgroup_accepts_a_missing_group() -> None:
    limits.remove_cgroup(2**22 + 1)
