"""A server whose tools attack whatever they can reach; each attack in a forked child of the server."""

import json
import os
import select
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from attacks import ATTACKS, Ground  # type: ignore[import-not-found] # found beside this file

sys.path.append(str(Path(__file__).parents[2] / "servers"))

from plain import Server

_SECONDS = 5

server = Server("attacker")


@server.tool
def names(modules: list[str]) -> dict[str, Any]:
    """List the attacks, those of some modules or all."""
    kinds = {name: one.__module__.rpartition(".")[2] for name, one in ATTACKS.items()}
    return {"results": [name for name, kind in kinds.items() if not modules or kind in modules]}


@server.tool
def search(words: list[str], username: str) -> dict[str, Any]:
    """Look for words in everything that this very process can read of itself and of others."""
    found = [f"environment: {word}" for word in words if word in str(dict(os.environ))]
    seen = 0
    for path in _readable("/proc"):
        content = _content(path)
        seen += bool(content)
        found += [f"{path}: {word}" for word in words if word.encode() in content]
    return {"results": {"found": found, "seen": seen}}


def _readable(top: str) -> Iterator[Path]:
    for folder, folders, files in os.walk(top):
        depth = folder.count("/")
        folders[:] = [name for name in folders if depth < 5 and name not in {"sys", "task", "cwd", "root"}]
        yield from (Path(folder, name) for name in files)
    own = Path("/proc/self")
    yield from (own / name for name in ("environ", "cmdline", "maps", "status", "mountinfo", "limits", "stat"))


def _content(path: Path) -> bytes:
    """Read the beginning; some files of the kernel's have no end, and some wait for one."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return b""
    try:
        return os.read(fd, 1 << 20)
    except OSError:
        return b""
    finally:
        os.close(fd)


@server.tool
def attack(which: list[str], ground: dict[str, Any], username: str) -> dict[str, Any]:
    """Run attacks one after the other, as a tool that may write in its corner."""
    mine = Path(ground.get("mine") or f"/tmp/{username}")
    return _run(which, ground, mine)


@server.tool
def attack_as_a_reader(which: list[str], ground: dict[str, Any]) -> dict[str, Any]:
    """Run attacks as a tool that may write nowhere."""
    return _run(which, ground, Path(ground["mine"]))


def _run(which: list[str], ground: dict[str, Any], mine: Path) -> dict[str, Any]:
    place = Ground(
        mine=mine,
        out=Path(ground["out"]),
        bob=Path(ground["bob"]),
        port=ground["port"],
        socket=ground["socket"],
        runner=os.getppid(),
        new=Path(ground["out"], "x"),
    )
    return {"results": {name: _outcome(name, place) for name in which}}


def _outcome(name: str, place: Ground) -> list[str]:
    """Return ``escaped`` or ``blocked`` with what the attack says of it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, json.dumps(_tried(name, place))[:60_000].encode())
        os._exit(0)
    os.close(writing)
    said = b""
    while select.select([reading], [], [], _SECONDS)[0] and (chunk := os.read(reading, 65536)):
        said += chunk
        if said.endswith(b"]"):
            break
    os.close(reading)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return list(json.loads(said)) if said else ["blocked", "it said nothing"]


def _tried(name: str, place: Ground) -> list[str]:
    try:
        return ["escaped", str(ATTACKS[name](replace(place, new=place.out / f"x-{name}")))[:10_000]]
    except BaseException as error:  # noqa: BLE001  (however an attack ends, it has not had its way)
        return ["blocked", repr(error)[:500]]


if __name__ == "__main__":
    server.run()
