"""Describe how far a machine's kernel isolates tools from the rest of the machine."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Layer = Literal["landlock", "seccomp", "mounts"]
Level = Literal["process", "kernel"]

_KERNEL_LAYERS: frozenset[Layer] = frozenset({"landlock", "seccomp"})


class Isolation(BaseModel):
    """The isolation mechanisms that a test found on this machine.

    ``layers`` are the mechanisms that work. ``missing`` maps each other mechanism to the reason why it does not work.
    ``landlock`` limits file access, ``seccomp`` limits system calls, ``mounts`` hides directories.
    """

    model_config = ConfigDict(frozen=True)

    layers: frozenset[Layer] = frozenset()
    missing: dict[Layer, str] = {}

    @property
    def level(self) -> Level:
        """Return ``kernel`` if the kernel limits both file access and system calls, otherwise ``process``."""
        return "kernel" if self.layers >= _KERNEL_LAYERS else "process"

    def meets(self, minimum: Level) -> bool:
        """Return True if the isolation level is at least ``minimum``."""
        return self.level == "kernel" or minimum == "process"
