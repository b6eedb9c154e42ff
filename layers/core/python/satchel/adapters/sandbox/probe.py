"""Finds the sandbox layers that this machine's kernel enforces, by running ``kernel_checks`` in a child process."""

import logging
import subprocess
import sys
from pathlib import Path
from typing import get_args

from satchel.domain.isolation import Isolation, Layer

logger = logging.getLogger(__name__)

_TIMEOUT_SECONDS = 10.0
_SOURCES = Path(__file__).resolve().parents[3]
_SCRIPT = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from satchel.adapters.sandbox.{module} import main; main({options})"
)


def find_layers() -> Isolation:
    """Try every sandbox layer and return the working layers. A failed check counts as a missing layer."""
    try:
        checks = subprocess.run(  # noqa: S603  (the command is fixed)
            bare_python("kernel_checks"), capture_output=True, timeout=_TIMEOUT_SECONDS, check=False, env={}
        )
        output = checks.stdout.decode(errors="replace")
    except (OSError, subprocess.TimeoutExpired) as error:
        logger.warning("the checks of the sandbox layers did not run", extra={"reason": str(error)})
        output = ""
    problems = dict(line.partition(":")[::2] for line in output.splitlines())
    results: dict[Layer, str] = {layer: problems.get(layer, "the check failed") for layer in get_args(Layer)}
    return Isolation(
        layers=frozenset(layer for layer, problem in results.items() if not problem),
        missing={layer: problem for layer, problem in results.items() if problem},
    )


def bare_python(module: str, *arguments: str) -> list[str]:
    """Return a command that runs ``main`` of a sandbox module. It skips site-packages, so it starts in 10 ms."""
    script = _SCRIPT.format(module=module, options="sys.argv[1:]" if arguments else "")
    return [sys.executable, "-I", "-S", "-c", script, str(_SOURCES), *arguments]
