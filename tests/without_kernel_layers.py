"""Run a command without the kernel's sandbox layers: ``python without_kernel_layers.py COMMAND…``.

A seccomp filter makes the system calls of the layers fail, as in many containers and in Lambda.
"""

import errno
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "layers/core/python"))

from satchel.adapters.sandbox import bpf, syscalls

_SET_SECCOMP = 22

if __name__ == "__main__":
    unavailable = dict.fromkeys(("landlock_create_ruleset", "seccomp"), errno.ENOSYS) | {"unshare": errno.EPERM}
    no_filter = bpf.Rule("prctl", 0, (_SET_SECCOMP,), error=errno.EINVAL)
    bpf.load(bpf.program(syscalls.machine(), unavailable, [no_filter]))
    os.execvp(sys.argv[1], sys.argv[1:])  # noqa: S606  (the test's command)
