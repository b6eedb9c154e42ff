"""Tools that misbehave, each in its own way."""

import ctypes
import json
import os
import signal
import time
from pathlib import Path

from plain import Server, Talk

server = Server("trial")


@server.tool
def wait(seconds: float) -> dict[str, object]:
    """Wait without a word."""
    time.sleep(seconds)
    return {"results": {"waited": seconds, "pid": os.getpid()}}


def _note_call(username: str) -> None:
    """Write down when the tool has the call, and in which process."""
    noted = {"at": time.time(), "pid": os.getpid()}
    Path(f"/tmp/{username}/call.json").write_text(json.dumps(noted))


def _leave_daemon(username: str) -> None:
    """Leave one behind that ignores SIGTERM and belongs to nobody."""
    first = os.fork()
    if first == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            Path(f"/tmp/{username}/daemon.pid").write_text(str(os.getpid()))
            time.sleep(600)
        os._exit(0)
    os.waitpid(first, 0)


@server.tool
def haunt(seconds: float, username: str) -> dict[str, object]:
    """Leave a daemon behind, and then wait without a word."""
    _note_call(username)
    _leave_daemon(username)
    time.sleep(seconds)
    return {"results": "survived"}


@server.tool
def freeze(seconds: int, username: str) -> dict[str, object]:
    """Leave a daemon behind, and then wait in C with the interpreter's lock: no line of Python runs meanwhile."""
    _note_call(username)
    _leave_daemon(username)
    ctypes.PyDLL(None).sleep(seconds)
    return {"results": "survived"}


@server.tool
def plod(words: int, every: float, silent: float, username: str, talk: Talk) -> dict[str, object]:
    """Say how far it is every so often, and then nothing."""
    for number in range(1, words + 1):
        time.sleep(every)
        _note_call(username)
        talk.progress(number, words, f"step {number} of {words}")
    time.sleep(silent)
    return {"results": "plodded"}


@server.tool
def write(name: str, text: str, username: str, capitals: bool = False) -> dict[str, object]:  # noqa: FBT001, FBT002
    """Write a file and return it."""
    path = Path(f"/tmp/{username}/{name}")
    path.write_text(text.upper() if capitals else text, encoding="utf-8")
    return {"results": username, "artifacts": [{"name": name, "path": str(path), "mime": "text/plain"}]}


@server.tool
def read(filename: str) -> dict[str, object]:
    """Say what a file holds, or what is wrong with the name."""
    path = Path(filename)
    if not path.exists():
        return {"results": {"missing": filename}}
    return {"results": {"text": path.read_text(encoding="utf-8")}}


@server.tool
def chatter(lines: int, seconds: float, talk: Talk, linger: int = 0) -> dict[str, object]:
    """Say so many things in so much time, and then, for so many seconds, little."""
    for number in range(lines):
        talk.info(f"line {number}")
        time.sleep(seconds / lines)
    for second in range(linger):
        time.sleep(1)
        talk.progress(second)
    return {"results": lines}


@server.tool
def flood(words: int, seconds: float, at: float, talk: Talk) -> dict[str, object]:
    """Say how far it is so often in so much time, beginning at some time, or at once if it has passed."""
    time.sleep(max(0.0, at - time.time()))
    begun = time.monotonic()
    for number in range(1, words + 1):
        time.sleep(max(0.0, begun + number * seconds / words - time.monotonic()))
        talk.progress(number, words, f"{number} of {words}")
    return {"results": {"seconds": time.monotonic() - begun}}


if __name__ == "__main__":
    server.run()
