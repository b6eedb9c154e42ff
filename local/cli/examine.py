"""What `satchel doctor` finds out about this machine."""

import os
import sys
from collections.abc import Iterator
from typing import get_args

from pydantic import ValidationError

from satchel.bootstrap.isolation import isolation
from satchel.domain.isolation import Isolation, Layer
from satchel.settings import IsolationSettings

_DOES: dict[Layer, str] = {
    "landlock": "tools reach no files but their own and the system's",
    "seccomp": "tools make no calls that reach other programs or the machine",
    "mounts": "tools do not see that other people's files are there",
}


def examine() -> int:
    """Print the findings and return the exit code."""
    try:
        least = IsolationSettings().min_isolation
    except ValidationError as error:
        print(f"SATCHEL_MIN_ISOLATION: {error.errors()[0]['msg']}", file=sys.stderr)  # noqa: T201  (what it says)
        return 1
    found = isolation()
    for line in _lines(found):
        print(line)  # noqa: T201  (this is what the command says)
    if found.reaches(least):
        return 0
    print(f"Satchel does not start here: SATCHEL_MIN_ISOLATION asks for {least!r}.")  # noqa: T201  (the same)
    return 1


def _lines(found: Isolation) -> Iterator[str]:
    system = os.uname()
    yield f"isolation level: {found.level}  ({system.sysname} {system.release}, {system.machine})"
    for layer in get_args(Layer):
        trouble = found.missing.get(layer)
        yield f"  {layer:9} {'missing: ' + trouble if trouble else 'holds: ' + _DOES[layer]}"
    if found.level == "process":
        yield "Tools are processes apart with nothing secret in them, but the kernel does not keep them from files."
        yield "See docs/security.md for what that means."
    if os.geteuid() == 0:
        yield "Running as root: the number of a tool's processes is limited only where control groups may be made."
