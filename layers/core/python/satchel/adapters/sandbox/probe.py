"""Finds the sandbox layers that this machine's kernel enforces, by running ``kernel_checks`` in a child process."""

import logging
import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from satchel.domain.isolation import Isolation, Layer, Safeguard

logger = logging.getLogger(__name__)

_TIMEOUT_SECONDS = 10.0
LIBRARY_PATH = "LD_LIBRARY_PATH"
_SOURCES = Path(__file__).resolve().parents[3]
_SCRIPT = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from satchel.adapters.sandbox.{module} import main; main({options})"
)


def find_layers() -> Isolation:
    """Try every sandbox layer and safeguard, and return which of them work. A failed check counts as missing."""
    try:
        checks = subprocess.run(  # noqa: S603  (the command is fixed)
            bare_python("kernel_checks"),
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
            env=library_variables(os.environ),
        )
        output = checks.stdout.decode(errors="replace")
    except (OSError, subprocess.TimeoutExpired) as error:
        logger.warning("the checks of the sandbox layers did not run", extra={"reason": str(error)})
        output = ""
    problems = dict(line.partition(":")[::2] for line in output.splitlines())
    layers: tuple[Layer, ...] = get_args(Layer)
    safeguards: tuple[Safeguard, ...] = get_args(Safeguard)
    reasons = {name: problems.get(name, "the check failed") for name in (*layers, *safeguards)}
    return Isolation(
        layers=frozenset(layer for layer in layers if not reasons[layer]),
        missing={name: reason for name, reason in reasons.items() if reason},
    )


def library_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variable with which the system finds the library of this process's interpreter, if it needs one.

    On Lambda, ``python`` is a small program whose library ``libpython3.x.so`` is found only through ``LD_LIBRARY_PATH``
    (``/var/lang/lib``). Without this variable, no process of this interpreter starts. Return only the directory of that
    library: the launcher loads its libraries before it enters the sandbox, so a tool that can write in any directory of
    the variable could run code outside the sandbox.
    """
    library = str(sysconfig.get_config_var("INSTSONAME"))
    for directory in environ.get(LIBRARY_PATH, "").split(":"):
        if Path(directory).is_absolute() and Path(directory, library).exists():
            return {LIBRARY_PATH: directory}
    return {}


def bare_python(module: str, *arguments: str) -> list[str]:
    """Return a command that runs ``main`` of a sandbox module. It skips site-packages, so it starts in 10 ms."""
    script = _SCRIPT.format(module=module, options="sys.argv[1:]" if arguments else "")
    return [sys.executable, "-I", "-S", "-c", script, str(_SOURCES), *arguments]
