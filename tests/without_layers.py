"""Runs a command where the kernel's layers cannot be had: ``python without_layers.py COMMAND…``.

A filter above answers in the kernel's place, as it does in many containers and in Lambda.
"""

import errno
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "layers/core/python"))

from satchel.adapters.sandbox import filters, syscalls

_SET_SECCOMP = 22

if __name__ == "__main__":
    unavailable = dict.fromkeys(("landlock_create_ruleset", "seccomp"), errno.ENOSYS) | {"unshare": errno.EPERM}
    no_filter = filters.Rule("prctl", 0, (_SET_SECCOMP,), error=errno.EINVAL)
    filters.load(filters.program(syscalls.machine(), unavailable, [no_filter]))
    os.execvp(sys.argv[1], sys.argv[1:])  # noqa: S606  (the test's command)
