"""Functions that run in environments of their own, and the environment variables of those processes."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import local

_INHERITED_VARIABLES = ("PATH", "LANG", "LC_ALL", "HOME", "TMPDIR", "TZ")
_ROOT = Path(local.__file__).parents[1]
_PYTHON_PATH = (_ROOT, _ROOT / "layers/core/python")


@dataclass(frozen=True, kw_only=True)
class RunnerFunction:
    """A function that runs in environments of its own.

    ``target`` is its handler as ``module:attribute``; a callable ``shutdown`` in that module is called when an
    environment ends. ``settings`` are its environment variables; it inherits only an allow-list of the parent's.
    ``timeout`` is in seconds.
    """

    name: str
    target: str
    settings: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 900.0

    @property
    def environ(self) -> dict[str, str]:
        """Return all environment variables of this function's environments."""
        return child_environ(self.settings)


def child_environ(settings: Mapping[str, str]) -> dict[str, str]:
    """Return a child's environment variables: the allowed ones of this process, the Python path and ``settings``."""
    return {
        **{name: os.environ[name] for name in _INHERITED_VARIABLES if name in os.environ},
        "PYTHONPATH": os.pathsep.join(str(path) for path in _PYTHON_PATH),
        "PYTHONUTF8": "1",
        "PYTHONUNBUFFERED": "1",
        **settings,
    }
