"""Server whose tools run the attacks, each in a forked child of the server."""

import json
import os
import select
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from attacks import ATTACKS, Target  # type: ignore[import-not-found] # in the same directory

sys.path.append(str(Path(__file__).parents[2] / "mcp_servers"))

from jsonrpc_server import Server

_TIMEOUT_SECONDS = 5

server = Server("attacker")


@server.tool
def names(modules: list[str]) -> dict[str, Any]:
    """List the attacks of some modules, or all attacks."""
    module_of = {name: function.__module__.rpartition(".")[2] for name, function in ATTACKS.items()}
    return {"results": [name for name, module in module_of.items() if not modules or module in modules]}


@server.tool
def search(words: list[str], username: str) -> dict[str, Any]:
    """Search words in the environment, and in all files of /proc that this process can read."""
    matches = [f"environment: {word}" for word in words if word in str(dict(os.environ))]
    readable = 0
    for path in _files("/proc"):
        content = _content(path)
        readable += bool(content)
        matches += [f"{path}: {word}" for word in words if word.encode() in content]
    return {"results": {"matches": matches, "readable": readable}}


def _files(top: str) -> Iterator[Path]:
    for folder, folders, files in os.walk(top):
        depth = folder.count("/")
        folders[:] = [name for name in folders if depth < 5 and name not in {"sys", "task", "cwd", "root"}]
        yield from (Path(folder, name) for name in files)
    own = Path("/proc/self")
    yield from (own / name for name in ("environ", "cmdline", "maps", "status", "mountinfo", "limits", "stat"))


def _content(path: Path) -> bytes:
    """Read the first MiB without waiting: some files in /proc are endless, and some block."""
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
def attack(attacks: list[str], target: dict[str, Any], username: str) -> dict[str, Any]:
    """Run attacks one after the other, as a tool that can write in its workspace."""
    mine = Path(target.get("mine") or f"/tmp/{username}")
    return _run(attacks, target, mine)


@server.tool
def attack_as_reader(attacks: list[str], target: dict[str, Any]) -> dict[str, Any]:
    """Run attacks as a tool that can write nowhere."""
    return _run(attacks, target, Path(target["mine"]))


def _run(attacks: list[str], fields: dict[str, Any], mine: Path) -> dict[str, Any]:
    target = Target(
        mine=mine,
        out=Path(fields["out"]),
        bob=Path(fields["bob"]),
        port=fields["port"],
        socket=fields["socket"],
        runner=os.getppid(),
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


if __name__ == "__main__":
    server.run()
