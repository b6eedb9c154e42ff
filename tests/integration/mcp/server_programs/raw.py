"""Server in plain JSON-RPC that starts in 30 ms. Its tools simulate many kinds of misbehavior.

It supports the older protocol revisions, with ``--modern`` also the current one, and with ``--no-initialize`` only the
current one. On another handshake, it exits with ``--strict``, and answers nothing any more with ``--deaf``.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Arguments = dict[str, Any]
Tool = Callable[[Arguments], dict[str, Any]]
CHILD_SECONDS = "60"
token: object = None
call: Arguments = {}
signed_in: set[object] = set()
timers: list[threading.Timer] = []
"""The timers that start when the result has been sent."""


class LinkRequired(Exception):
    """The user must visit pages first. The argument is the question of the only one."""


def send(**message: object) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(value: object) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": json.dumps(value)}]}


def spawn_detached() -> int:
    """Start a daemon by a double fork with setsid. Return its pid, received through a pipe."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.write(writer, str(os.getpid()).encode())
        os.close(writer)
        time.sleep(float(CHILD_SECONDS))
        os._exit(0)
    os.close(writer)
    os.wait()
    return int(os.read(reader, 32))


def progress(arguments: Arguments) -> dict[str, Any]:
    for step in range(1, arguments["steps"] + 1):
        params = {"progressToken": token, "progress": step, "total": arguments["steps"], "message": f"step {step}"}
        send(method="notifications/progress", params=params)
    return text("done")


def log(_: Arguments) -> dict[str, Any]:
    for data in ("plain", {"msg": "wrapped", "extra": None}, {"rows": 3}):
        send(method="notifications/message", params={"level": "info", "data": data})
    return text("done")


def exits(arguments: Arguments) -> dict[str, Any]:
    os._exit(arguments["code"])


def exits_beside_child(_: Arguments) -> dict[str, Any]:
    """Exit while a child in its own process session keeps the pipes open."""
    child = spawn_detached()
    Path(os.environ["HOME"], "child").write_text(str(child))
    os._exit(7)


def closes_stdout(_: Arguments) -> dict[str, Any]:
    os.close(1)
    time.sleep(60)
    return {}


def blocks(_: Arguments) -> dict[str, Any]:
    params = {"progressToken": token, "progress": 1, "message": json.dumps([os.getpid(), spawn_detached()])}
    send(method="notifications/progress", params=params)
    time.sleep(60)
    return {}


def nap(arguments: Arguments) -> dict[str, Any]:
    time.sleep(arguments["seconds"])
    return text(os.getpid())


def child(_: Arguments) -> dict[str, Any]:
    process = subprocess.Popen(["sleep", CHILD_SECONDS])  # noqa: S603, S607  (a fixed command)
    return text([os.getpid(), process.pid])


def briefly(_: Arguments) -> dict[str, Any]:
    subprocess.run(["true"], check=True)  # noqa: S607  (a fixed command)
    return text(os.getpid())


def junk(_: Arguments) -> dict[str, Any]:
    sys.stdout.write("print from a tool\n\n{not json\n\x00\x01\n")
    return text("still there")


def asks(_: Arguments) -> dict[str, Any]:
    schema = {"type": "object", "properties": {}}
    send(id="q1", method="elicitation/create", params={"message": "Which one?", "requestedSchema": schema})
    reply = json.loads(sys.stdin.readline())
    if "error" not in reply:
        return text([os.getpid(), reply["result"]])
    return {"content": [{"type": "text", "text": reply["error"]["message"]}], "isError": True}


def withdraws(_: Arguments) -> dict[str, Any]:
    """Ask, and give up at once."""
    schema = {"type": "object", "properties": {}}
    send(id="q1", method="elicitation/create", params={"message": "Quick?", "requestedSchema": schema})
    send(method="notifications/cancelled", params={"requestId": "q1", "reason": "too slow"})
    return text("gave up")


def signs_in(_: Arguments) -> dict[str, Any]:
    """Ask the user to sign in on a page, and announce at once that the user has done so."""
    page = {"mode": "url", "message": "Sign in", "url": "https://login.example/in", "elicitationId": "e1"}
    send(id="q1", method="elicitation/create", params=page)
    send(method="notifications/elicitation/complete", params={"elicitationId": "e1"})
    return text(json.loads(sys.stdin.readline())["result"])


def needs_sign_in(_: Arguments) -> dict[str, Any]:
    """Fail until the user has visited a page (the error -32042)."""
    if call.get("name") in signed_in:
        return text("signed in")
    signed_in.add(call.get("name"))
    raise LinkRequired({"mode": "url", "message": "Sign in", "url": "https://login.example/in", "elicitationId": "e2"})


def samples(_: Arguments) -> dict[str, Any]:
    message = {"role": "user", "content": {"type": "text", "text": "Say something."}}
    send(id="q1", method="sampling/createMessage", params={"messages": [message], "maxTokens": 9})
    reply = json.loads(sys.stdin.readline())
    return {"content": [{"type": "text", "text": reply["error"]["message"]}], "isError": True}


def needs_input(_: Arguments) -> dict[str, Any]:
    if "inputResponses" in call:
        return text([call["requestState"], call["inputResponses"]["which"]["content"]])
    schema = {"type": "object", "properties": {}}
    params = {"mode": "form", "message": "Which one?", "requestedSchema": schema}
    requests = {"which": {"method": "elicitation/create", "params": params}}
    return {"resultType": "input_required", "inputRequests": requests, "requestState": "r1"}


def needs_time(_: Arguments) -> dict[str, Any]:
    """Ask the client to repeat the call once, with a state and without a question."""
    if call.get("requestState") == "later":
        return text("later")
    return {"resultType": "input_required", "requestState": "later"}


def protocol_error(_: Arguments) -> dict[str, Any]:
    raise ValueError("no such thing")


def grows(_: Arguments) -> dict[str, Any]:
    send(method="notifications/tools/list_changed")
    return text("grown")


def grows_later(_: Arguments) -> dict[str, Any]:
    """Announce the change from a thread, after the result has been sent."""
    timers.append(threading.Timer(0.05, lambda: send(method="notifications/tools/list_changed")))
    return text("growing")


def extras(_: Arguments) -> dict[str, Any]:
    return {
        "content": [{"type": "text", "text": "seen", "forModel": True, "metadata": {"a": 1}}],
        "bibliography": [{"title": "A book"}],
        "grantMarkdown": "# Grant",
        "artifacts": [{"type": "markdown", "id": "one", "title": "One", "content": "# One"}],
    }


TOOLS: dict[str, Tool] = {
    "echo": text,
    "extras": extras,
    "unknown_block": lambda _: {"content": [{"type": "artifact", "forModel": True}]},
    "progress": progress,
    "log": log,
    "error": lambda _: {"content": [{"type": "text", "text": "1/0"}], "isError": True},
    "protocol_error": protocol_error,
    "exits": exits,
    "exits_beside_child": exits_beside_child,
    "closes_stdout": closes_stdout,
    "blocks": blocks,
    "nap": nap,
    "grows": grows,
    "grows_later": grows_later,
    "detached": lambda _: text([os.getpid(), spawn_detached()]),
    "child": child,
    "briefly": briefly,
    "junk": junk,
    "asks": asks,
    "withdraws": withdraws,
    "signs_in": signs_in,
    "needs_sign_in": needs_sign_in,
    "samples": samples,
    "needs_input": needs_input,
    "needs_time": needs_time,
    "pid": lambda _: text(os.getpid()),
    "env": lambda _: text(dict(os.environ)),
    "cwd": lambda _: text(str(Path.cwd())),
    "big": lambda arguments: text("x" * arguments["bytes"]),
}


def answer(method: str, params: Arguments) -> dict[str, Any]:
    match method:
        case "server/discover" if "--modern" in sys.argv:
            result = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
            return {**result, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        case "initialize" if "--no-initialize" not in sys.argv:
            version = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}}
            return {**version, "serverInfo": {"name": "raw", "version": "1"}}
        case "tools/list":
            names = list(TOOLS)
            start = int(params.get("cursor", 0))
            page = {"tools": [{"name": n, "inputSchema": {"type": "object"}} for n in names[start : start + 8]]}
            return {**page, "nextCursor": str(start + 8)} if start + 8 < len(names) else page
        case "tools/call":
            globals()["token"] = params.get("_meta", {}).get("progressToken")
            globals()["call"] = params
            return TOOLS[params["name"]](params.get("arguments", {}))
    raise ValueError(f"unknown method {method}")


def main() -> None:
    while line := sys.stdin.readline():
        request = json.loads(line)
        if "id" not in request or "method" not in request:
            continue
        if request["method"] == "server/discover" and "--deaf" in sys.argv:
            time.sleep(3600)
        if request["method"] == "server/discover" and "--strict" in sys.argv:
            sys.exit("expected initialize")
        try:
            send(id=request["id"], result=answer(request["method"], request.get("params", {})))
            while timers:
                timers.pop().start()
        except LinkRequired as required:
            data = {"elicitations": [required.args[0]]}
            send(id=request["id"], error={"code": -32042, "message": "Sign in first", "data": data})
        except ValueError as error:
            send(id=request["id"], error={"code": -32000, "message": str(error)})


if __name__ == "__main__":
    main()
