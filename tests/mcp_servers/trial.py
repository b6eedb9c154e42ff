"""Tools that are slow, silent, noisy, blocked or too generous, for tests of timeouts, progress, crashes and limits."""

import base64
import ctypes
import io
import json
import os
import signal
import time
import zipfile
from pathlib import Path

from jsonrpc_server import CallContext, RawResult, Server

server = Server("trial")


@server.tool
def wait(seconds: float) -> dict[str, object]:
    """Sleep without any progress."""
    time.sleep(seconds)
    return {"results": {"waited": seconds, "pid": os.getpid()}}


def _write_call_note(username: str) -> None:
    """Write the time of the call and the process id where the test reads them."""
    note = {"at": time.time(), "pid": os.getpid()}
    Path(f"/tmp/{username}/call.json").write_text(json.dumps(note))


def _start_daemon(username: str) -> None:
    """Start a daemon that ignores SIGTERM and has no parent in the tool."""
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            Path(f"/tmp/{username}/daemon.pid").write_text(str(os.getpid()))
            time.sleep(600)
        os._exit(0)
    os.waitpid(child, 0)


@server.tool
def wait_with_daemon(seconds: float, username: str) -> dict[str, object]:
    """Start a daemon, then sleep without any progress."""
    _write_call_note(username)
    _start_daemon(username)
    time.sleep(seconds)
    return {"results": "survived"}


@server.tool
def block_with_daemon(seconds: int, username: str) -> dict[str, object]:
    """Start a daemon, then sleep in C while holding the GIL, so that no Python code runs."""
    _write_call_note(username)
    _start_daemon(username)
    ctypes.PyDLL(None).sleep(seconds)
    return {"results": "survived"}


@server.tool
def report_steps(steps: int, interval: float, silence: float, username: str, context: CallContext) -> dict[str, object]:
    """Report progress every ``interval`` seconds, then stay silent for ``silence`` seconds."""
    for number in range(1, steps + 1):
        time.sleep(interval)
        _write_call_note(username)
        context.progress(number, steps, f"step {number} of {steps}")
    time.sleep(silence)
    return {"results": "done"}


@server.tool
def write(name: str, text: str, username: str, capitals: bool = False) -> dict[str, object]:  # noqa: FBT001, FBT002
    """Write a file and return it."""
    path = Path(f"/tmp/{username}/{name}")
    path.write_text(text.upper() if capitals else text, encoding="utf-8")
    return {"results": username, "artifacts": [{"name": name, "path": str(path), "mime": "text/plain"}]}


@server.tool
def read(filename: str) -> dict[str, object]:
    """Return the text of a file, or its name if there is no such file."""
    path = Path(filename)
    if not path.exists():
        return {"results": {"missing": filename}}
    return {"results": {"text": path.read_text(encoding="utf-8")}}


@server.tool
def log_lines(lines: int, seconds: float, context: CallContext, then_wait: int = 0) -> dict[str, object]:
    """Log this many lines in this many seconds, then report progress once a second for ``then_wait`` seconds."""
    for number in range(lines):
        context.info(f"line {number}")
        time.sleep(seconds / lines)
    for second in range(then_wait):
        time.sleep(1)
        context.progress(second)
    return {"results": lines}


@server.tool
def report_often(reports: int, seconds: float, start_at: float, context: CallContext) -> dict[str, object]:
    """Report progress this many times in this many seconds, not before ``start_at`` (seconds since 1970)."""
    time.sleep(max(0.0, start_at - time.time()))
    start = time.monotonic()
    for number in range(1, reports + 1):
        time.sleep(max(0.0, start + number * seconds / reports - time.monotonic()))
        context.progress(number, reports, f"{number} of {reports}")
    return {"results": {"seconds": time.monotonic() - start}}


def _zip_bomb() -> bytes:
    """Return a workbook of 60 KB with a sheet of 64 MiB."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b"<workbook/>")
        archive.writestr("xl/worksheets/sheet1.xml", bytes(64 << 20))
    return body.getvalue()


def _bomb(kind: str) -> str:
    """Return the text of a result that is much larger, deeper or longer than any tool needs."""
    match kind:
        case "answer":
            return json.dumps({"results": "x" * 3_000_000})
        case "depth":
            return '{"results": ' + "[" * 20_000 + "]" * 20_000 + "}"
        case "number":
            return '{"results": ' + "9" * 5_000 + "}"
        case "workbook":
            content = base64.b64encode(_zip_bomb()).decode()
            return json.dumps({"results": "packed", "artifacts": [{"name": "a.xlsx", "b64": content}]})
    raise ValueError(kind)


@server.tool
def explode(kind: str) -> dict[str, object]:
    """Return a bomb as text."""
    return RawResult(content=[{"type": "text", "text": _bomb(kind)}])


if __name__ == "__main__":
    server.run()
