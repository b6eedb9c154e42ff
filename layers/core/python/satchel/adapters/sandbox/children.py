"""How a module of this package is run in an interpreter of its own: without site-packages, in 10 ms."""

import sys
from pathlib import Path

_SOURCES = Path(__file__).resolve().parents[3]
_START = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from satchel.adapters.sandbox.{module} import main; main({given})"
)


def command(module: str, *arguments: str) -> list[str]:
    """Return the command that calls ``main`` of a module, with the arguments as a list where there are any."""
    start = _START.format(module=module, given="sys.argv[1:]" if arguments else "")
    return [sys.executable, "-I", "-S", "-c", start, str(_SOURCES), *arguments]
