"""Describe how far a machine's kernel isolates tools from the rest of the machine."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Layer = Literal["landlock", "seccomp", "mounts"]
Safeguard = Literal["privileges", "limits", "memory", "session", "subreaper", "death_signal"]
Level = Literal["process", "kernel"]

_KERNEL_LAYERS: frozenset[Layer] = frozenset({"landlock", "seccomp"})


class Isolation(BaseModel):
    """The isolation mechanisms that a test found on this machine.

    ``layers`` are the layers that work. ``landlock`` limits file access, ``seccomp`` limits system calls, ``mounts``
    hides directories.

    ``missing`` maps each other layer, and each safeguard that does not work, to the reason. The safeguards, which work
    unless the machine filters system calls: ``privileges`` drops all capabilities, ``limits`` sets resource limits,
    ``memory`` hides the runner's memory and environment from tools, ``session`` separates a server from the runner's
    process session, ``subreaper`` finds the processes that tools detach, and ``death_signal`` ends a server together
    with its runner.
    """

    model_config = ConfigDict(frozen=True)

    layers: frozenset[Layer] = frozenset()
    missing: dict[Layer | Safeguard, str] = {}

    @property
    def level(self) -> Level:
        """Return ``kernel`` if the kernel limits file access, system calls and privileges, otherwise ``process``."""
        return "kernel" if self.layers >= _KERNEL_LAYERS and "privileges" not in self.missing else "process"

    def meets(self, minimum: Level) -> bool:
        """Return True if the isolation level is at least ``minimum``."""
        return self.level == "kernel" or minimum == "process"
