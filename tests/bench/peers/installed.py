"""A peer's own virtual environment: made when it is asked for, in the checkout's, from requirements with hashes."""

import hashlib
import subprocess
import sys
from pathlib import Path

from tests.e2e.system import ROOT

_FOLDER = ROOT / ".venv/bench"


def python_of(peer: str) -> Path:
    """Return the interpreter that has the peer of ``requirements/bench-{peer}.txt``. Raises CalledProcessError."""
    pinned = ROOT / f"requirements/bench-{peer}.txt"
    folder = _FOLDER / f"{peer}-{hashlib.sha256(pinned.read_bytes()).hexdigest()[:12]}"
    python, ready = folder / "bin/python", folder / "ready"
    if not ready.exists():
        _uv("venv", "--clear", "--python", sys.executable, str(folder))
        _uv("pip", "install", "--compile-bytecode", "--python", str(python), "--require-hashes", "-r", str(pinned))
        ready.touch()
    return python


def _uv(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "uv", *arguments, "--quiet"], check=True)  # noqa: S603  (our own words)
