"""`satchel doctor`: report how well this machine isolates tools."""

import os
from collections.abc import Iterator

import typer
from pydantic import ValidationError

from local.cli.errors import ExitCode
from satchel.bootstrap.process import isolation
from satchel.domain.isolation import Isolation, Layer, Safeguard
from satchel.settings import IsolationSettings

_EFFECTS: dict[Layer | Safeguard, str] = {
    "landlock": "tools can open only their own files and system files",
    "seccomp": "tools cannot make system calls that affect other programs or the machine",
    "mounts": "tools cannot see that files of other users exist",
    "privileges": "tools run without capabilities and cannot gain any",
    "limits": "memory, open files, file sizes and processes of tools are limited",
    "memory": "tools cannot read the memory and environment of the process that starts them",
    "session": "signals for Satchel's process group do not reach tools",
    "subreaper": "processes that a tool detaches end with its call",
    "death_signal": "tools end if Satchel is killed",
}


def report_isolation() -> ExitCode:
    """Print the isolation level and its layers. Return FAILURE if the level is below SATCHEL_MIN_ISOLATION."""
    try:
        min_level = IsolationSettings().min_isolation
    except ValidationError as error:
        typer.echo(f"SATCHEL_MIN_ISOLATION: {error.errors()[0]['msg']}", err=True)
        return ExitCode.FAILURE
    detected = isolation()
    for line in _lines(detected):
        typer.echo(line)
    if detected.meets(min_level):
        return ExitCode.SUCCESS
    typer.echo(f"Satchel does not start here: SATCHEL_MIN_ISOLATION requires {min_level!r}.")
    return ExitCode.FAILURE


def _lines(detected: Isolation) -> Iterator[str]:
    system = os.uname()
    yield f"isolation level: {detected.level}  ({system.sysname} {system.release}, {system.machine})"
    for name, effect in _EFFECTS.items():
        reason = detected.missing.get(name)
        yield f"  {name:12} {f'missing: {reason}' if reason else f'active: {effect}'}"
    if detected.level == "process":
        yield "Tools run in separate processes without secrets, but the kernel does not restrict their file access."
        yield "See docs/security.md for the consequences."
    if os.geteuid() == 0:
        yield "You are root: the number of a tool's processes is limited only if control groups can be created."
