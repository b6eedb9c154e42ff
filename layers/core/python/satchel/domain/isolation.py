"""The isolation of tools that the kernel of a machine enforces."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Layer = Literal["landlock", "seccomp", "mounts"]
Level = Literal["process", "kernel"]

_KERNEL_LAYERS: frozenset[Layer] = frozenset({"landlock", "seccomp"})


class Isolation(BaseModel):
    """The layers that were tested on this machine's kernel, and the reason for each ``missing`` one.

    ``landlock`` limits file access, ``seccomp`` limits system calls, ``mounts`` hides directories.
    """

    model_config = ConfigDict(frozen=True)

    layers: frozenset[Layer] = frozenset()
    missing: dict[Layer, str] = {}

    @property
    def level(self) -> Level:
        """Return ``kernel`` if the kernel enforces file access and system calls, else ``process``."""
        return "kernel" if self.layers >= _KERNEL_LAYERS else "process"

    def meets(self, minimum: Level) -> bool:
        """Return True if the level is at least ``minimum``."""
        return self.level == "kernel" or minimum == "process"
