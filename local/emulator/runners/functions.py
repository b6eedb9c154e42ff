"""Definitions of the Lambda functions that run in separate processes, and these processes' environment variables."""

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
    """A Lambda function that runs in separate processes, called environments.

    ``target`` names the handler as ``module:attribute``. If that module has a function ``shutdown``, each environment
    calls ``shutdown`` before it ends. ``settings`` are the function's environment variables. From the parent process,
    an environment inherits only allow-listed variables. ``timeout`` is in seconds.
    """

    name: str
    target: str
    settings: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 900.0

    @property
    def environ(self) -> dict[str, str]:
        """Return all environment variables for the processes that run this function."""
        return child_environ(self.settings)


def child_environ(settings: Mapping[str, str]) -> dict[str, str]:
    """Return a child's environment variables: this process's allow-listed ones, the Python path and ``settings``."""
    return {
        **{name: os.environ[name] for name in _INHERITED_VARIABLES if name in os.environ},
        "PYTHONPATH": os.pathsep.join(str(path) for path in _PYTHON_PATH),
        "PYTHONUTF8": "1",
        "PYTHONUNBUFFERED": "1",
        **settings,
    }
