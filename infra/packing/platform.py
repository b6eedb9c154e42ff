"""What functions run on."""

import sys
from dataclasses import dataclass
from typing import Literal

# Python 3.11 runs on Amazon Linux 2 (glibc 2.26), later ones on Amazon Linux 2023 (glibc 2.34).
_LAST_ON_AMAZON_LINUX_2 = 11
_LAST_WITHOUT_SNAPSHOTS = 11
_SUPPORTED = range(11, 15)


@dataclass(frozen=True)
class Platform:
    """Python and processor. By default the Python that builds: what ran the tests is what runs in the cloud."""

    architecture: Literal["arm64", "x86_64"] = "arm64"
    minor: int = sys.version_info.minor

    def __post_init__(self) -> None:
        """Refuse a Python that Lambda does not have. Raises ValueError."""
        if self.minor not in _SUPPORTED:
            raise ValueError(f"Lambda has no Python 3.{self.minor}: build with Python 3.11 to 3.14")

    @property
    def python(self) -> str:
        """Return the version as ``3.x``."""
        return f"3.{self.minor}"

    @property
    def wheels(self) -> str:
        """Return the platform whose wheels load there, in uv's words."""
        machine = "aarch64" if self.architecture == "arm64" else "x86_64"
        return f"{machine}-{'manylinux2014' if self.minor <= _LAST_ON_AMAZON_LINUX_2 else 'manylinux_2_28'}"

    @property
    def has_snapshots(self) -> bool:
        """Tell whether functions can start from a snapshot (SnapStart)."""
        return self.minor > _LAST_WITHOUT_SNAPSHOTS

    @property
    def compiles_here(self) -> bool:
        """Tell whether the interpreter that builds makes byte code for it; that is the same for every processor."""
        return self.minor == sys.version_info.minor
