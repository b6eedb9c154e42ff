"""Protection of a server by guard and kernel."""

from pathlib import Path

import pytest

from satchel.adapters.sandbox.policy import SandboxPolicy, WorkspaceAccess
from satchel.domain.isolation import Isolation
from satchel.domain.servers import ServerEntry

KERNEL = Isolation(layers=frozenset({"landlock", "seccomp"}))
WITHOUT_SECCOMP = Isolation(layers=frozenset({"landlock", "mounts"}))


@pytest.mark.parametrize(
    ("program", "isolation", "is_unprotected"),
    [
        ("/usr/bin/node", Isolation(), True),
        ("/usr/bin/node", WITHOUT_SECCOMP, True),
        ("/usr/bin/node", KERNEL, False),
        ("/usr/bin/python3", Isolation(), False),
        ("/usr/bin/python3", KERNEL, False),
    ],
)
def test_server_without_guard_and_kernel_layers_is_unprotected(
    program: str, isolation: Isolation, *, is_unprotected: bool
) -> None:
    entry = ServerEntry(command=[program, "main"])

    policy = SandboxPolicy(entry, isolation, program, WorkspaceAccess(), Path("/tmp/alice"))

    assert policy.is_unprotected is is_unprotected
