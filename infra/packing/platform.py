"""The Python version and processor for which layers are built."""

import sys
from dataclasses import dataclass
from typing import Literal

# On Lambda, Python 3.11 runs on Amazon Linux 2 (glibc 2.26), later versions on Amazon Linux 2023 (glibc 2.34).
_LAST_ON_AMAZON_LINUX_2 = 11
_LAST_WITHOUT_SNAPSTART = 11
_SUPPORTED = range(11, 15)


@dataclass(frozen=True)
class Platform:
    """A Python version and a processor type. The default version is this interpreter's, because the tests ran on it."""

    architecture: Literal["arm64", "x86_64"] = "arm64"
    minor: int = sys.version_info.minor

    def __post_init__(self) -> None:
        """Raise ValueError if Lambda does not offer this version of Python."""
        if self.minor not in _SUPPORTED:
            raise ValueError(f"Lambda has no Python 3.{self.minor}: build with Python 3.11 to 3.14")

    @property
    def python(self) -> str:
        """Return the Python version as ``3.x``."""
        return f"3.{self.minor}"

    @property
    def wheel_platform(self) -> str:
        """Return the value of uv's ``--python-platform`` that selects wheels compatible with the Lambda runtime."""
        machine = "aarch64" if self.architecture == "arm64" else "x86_64"
        return f"{machine}-{'manylinux2014' if self.minor <= _LAST_ON_AMAZON_LINUX_2 else 'manylinux_2_28'}"

    @property
    def runs_node(self) -> bool:
        """Return True if Lambda's system for this Python version is new enough for Node (glibc 2.28)."""
        return self.minor > _LAST_ON_AMAZON_LINUX_2

    @property
    def has_snapstart(self) -> bool:
        """Return True if Lambda can start this Python version from a snapshot (SnapStart)."""
        return self.minor > _LAST_WITHOUT_SNAPSTART

    @property
    def matches_this_python(self) -> bool:
        """Return True if this interpreter can compile byte code for the platform: it has the same Python version."""
        return self.minor == sys.version_info.minor
