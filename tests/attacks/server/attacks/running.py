"""Runs attacks, each in a forked child of the process under attack."""

import json
import os
import select
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

from .framework import ATTACKS, Target

_TIMEOUT_SECONDS = 5
_RUNNER = os.getppid()  # of the server, which imports this module, and not of a process that it forks


def run_attacks(attacks: list[str], fields: dict[str, Any], mine: Path) -> dict[str, Any]:
    """Run attacks one after the other. Return ``{"results": {name: outcome}}``."""
    target = Target(
        mine=mine,
        out=Path(fields["out"]),
        bob=Path(fields["bob"]),
        port=fields["port"],
        socket=fields["socket"],
        runner=_RUNNER,
        new=Path(fields["out"], "x"),
    )
    return {"results": {name: _outcome(name, target) for name in attacks}}


def _outcome(name: str, target: Target) -> list[str]:
    """Return ``escaped`` with the result of the attack, or ``blocked`` with its error."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, json.dumps(_try(name, target))[:60_000].encode())
        os._exit(0)
    os.close(writer)
    output = b""
    while select.select([reader], [], [], _TIMEOUT_SECONDS)[0] and (chunk := os.read(reader, 65536)):
        output += chunk
        if output.endswith(b"]"):
            break
    os.close(reader)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return list(json.loads(output)) if output else ["blocked", "no outcome in time"]


def _try(name: str, target: Target) -> list[str]:
    try:
        return ["escaped", str(ATTACKS[name](replace(target, new=target.out / f"x-{name}")))[:10_000]]
    except BaseException as error:  # noqa: BLE001  (any error means that the attack was blocked)
        return ["blocked", repr(error)[:500]]
