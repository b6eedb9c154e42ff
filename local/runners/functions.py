"""What the parent knows of a runner's function, and the world that it shows to its environments."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import local

_PASSED_ON = ("PATH", "LANG", "LC_ALL", "HOME", "TMPDIR", "TZ")
_ROOT = Path(local.__file__).parents[1]
_SOURCES = (_ROOT, _ROOT / "layers/core/python")


@dataclass(frozen=True, kw_only=True)
class RunnerFunction:
    """A function that runs in environments of its own.

    ``target`` is its handler as ``module:attribute``; a callable ``shutdown`` in that module is called when an
    environment ends. ``settings`` are its environment variables; of the parent's own it gets an allow-list only.
    ``timeout`` is in seconds.
    """

    name: str
    target: str
    settings: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 900.0

    @property
    def environ(self) -> dict[str, str]:
        """Return all that an environment of this function sees of the world."""
        return world(self.settings)


def world(settings: Mapping[str, str]) -> dict[str, str]:
    """Return an environment of variables: what is passed on of this process's own, where the code lies, settings."""
    return {
        **{name: os.environ[name] for name in _PASSED_ON if name in os.environ},
        "PYTHONPATH": os.pathsep.join(str(path) for path in _SOURCES),
        "PYTHONUTF8": "1",
        "PYTHONUNBUFFERED": "1",
        **settings,
    }
