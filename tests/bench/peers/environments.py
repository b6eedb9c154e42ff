"""Virtual environments of the other products, created on demand inside the checkout's environment."""

import hashlib
import subprocess
import sys
from pathlib import Path

from tests.e2e.system_process import ROOT

_FOLDER = ROOT / ".venv/bench"


def python_of(peer: str) -> Path:
    """Return the interpreter of the environment for ``requirements/bench-{peer}.txt``. Raises CalledProcessError."""
    requirements = ROOT / f"requirements/bench-{peer}.txt"
    folder = _FOLDER / f"{peer}-{hashlib.sha256(requirements.read_bytes()).hexdigest()[:12]}"
    python, ready = folder / "bin/python", folder / "ready"
    if not ready.exists():
        _uv("venv", "--clear", "--python", sys.executable, str(folder))
        _uv(
            "pip", "install", "--compile-bytecode", "--python", str(python), "--require-hashes", "-r", str(requirements)
        )
        ready.touch()
    return python


def _uv(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "uv", *arguments, "--quiet"], check=True)  # noqa: S603  (fixed arguments)
