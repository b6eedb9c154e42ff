"""Which walls stand around a server."""

from pathlib import Path

import pytest

from satchel.adapters.sandbox.policy import SandboxPolicy, WorkspaceAccess
from satchel.domain.isolation import Isolation
from satchel.domain.servers import ServerEntry

KERNEL = Isolation(layers=frozenset({"landlock", "seccomp"}))
HALF = Isolation(layers=frozenset({"landlock", "mounts"}))


@pytest.mark.parametrize(
    ("program", "isolation", "is_open"),
    [
        ("/usr/bin/node", Isolation(), True),
        ("/usr/bin/node", HALF, True),
        ("/usr/bin/node", KERNEL, False),
        ("/usr/bin/python3", Isolation(), False),
        ("/usr/bin/python3", KERNEL, False),
    ],
)
def test_a_server_with_neither_guard_nor_kernel_is_open(program: str, isolation: Isolation, *, is_open: bool) -> None:
    entry = ServerEntry(command=[program, "main"])

    assert SandboxPolicy(entry, isolation, program, WorkspaceAccess(), Path("/tmp/alice")).is_open is is_open
