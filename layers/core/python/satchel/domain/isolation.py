"""How well the tools of a machine are walled in (DESIGN: tool execution)."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Layer = Literal["landlock", "seccomp", "mounts"]
Level = Literal["process", "kernel"]

_KERNEL_LAYERS: frozenset[Layer] = frozenset({"landlock", "seccomp"})


class Isolation(BaseModel):
    """What the kernel of this machine was seen to hold, and why it does not hold what is ``missing``.

    ``landlock``: which files are reached; ``seccomp``: which calls are made; ``mounts``: what is there to be seen.
    """

    model_config = ConfigDict(frozen=True)

    layers: frozenset[Layer] = frozenset()
    missing: dict[Layer, str] = {}

    @property
    def level(self) -> Level:
        """Return ``kernel`` where nothing that a tool does gets past the kernel's walls, else ``process``."""
        return "kernel" if self.layers >= _KERNEL_LAYERS else "process"

    def meets(self, minimum: Level) -> bool:
        """Tell whether this is as good as what is asked for."""
        return self.level == "kernel" or minimum == "process"
