"""Server whose tools run the attacks, each in a forked child of the server.

``show`` has an app, which may call all tools. ``attack_as_task`` works as a task (MCP 2025-11-25).
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attacks import ATTACKS, run_attacks  # type: ignore[import-not-found] # in the same directory

sys.path.append(str(Path(__file__).parents[2] / "mcp_servers"))

from jsonrpc_server import Json, Server

APP = "ui://attacker/page"
PAGE = {"uri": APP, "mimeType": "text/html;profile=mcp-app", "text": "<h1>Attacker</h1>"}
_EXTRAS: Json = {
    "show": {"_meta": {"ui": {"resourceUri": APP}}},
    "attack_as_task": {"execution": {"taskSupport": "required"}},
}


class AttackServer(Server):
    """Server with an app, and with one task at a time, which works when its state is requested for the second time."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._call: Json = {}
        self._polls = 0
        self._result: Json = {}

    def _answer(self, method: str, params: Json) -> Json:
        match method:
            case "resources/read":
                return {"contents": [PAGE]}
            case "tools/list":
                tools = super()._answer(method, params)["tools"]
                return {"tools": [tool | _EXTRAS.get(tool["name"], {}) for tool in tools]}
            case "tools/call" if "task" in params:
                self._call, self._polls = params, 0
                return {"task": _task("working")}
            case "tasks/get":
                return self._poll()
            case "tasks/result":
                return self._result
        return super()._answer(method, params)

    def _poll(self) -> Json:
        self._polls += 1
        if self._polls == 1:
            return _task("working")
        self._result = super()._answer("tools/call", self._call)
        return _task("completed")


def _task(status: str) -> Json:
    times = {"createdAt": "2026-07-28T12:00:00Z", "lastUpdatedAt": "2026-07-28T12:00:00Z"}
    return {"taskId": "attack", "status": status, "ttl": None, "pollInterval": 10, **times}


server = AttackServer("attacker")


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
    result: dict[str, Any] = run_attacks(attacks, target, mine)
    return result


@server.tool
def attack_as_reader(attacks: list[str], target: dict[str, Any]) -> dict[str, Any]:
    """Run attacks as a tool that cannot write in the user's workspace, on which the attacks rely."""
    result: dict[str, Any] = run_attacks(attacks, target, Path(target["mine"]))
    return result


@server.tool
def attack_from_scratch(attacks: list[str], target: dict[str, Any]) -> dict[str, Any]:
    """Run attacks as a tool that can write in the scratch folder of its server only."""
    result: dict[str, Any] = run_attacks(attacks, target, Path(os.environ["SATCHEL_WORKSPACE"]))
    return result


@server.tool
def attack_as_task(attacks: list[str], target: dict[str, Any], username: str) -> dict[str, Any]:
    """Run attacks as a task, after the call was answered."""
    result: dict[str, Any] = run_attacks(attacks, target, Path(f"/tmp/{username}"))
    return result


@server.tool
def show() -> dict[str, Any]:
    """Show the app."""
    return {"results": "shown"}


if __name__ == "__main__":
    server.run()
