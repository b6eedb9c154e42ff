"""Server whose tools access files in many ways and let all errors pass through."""

import ctypes
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import helpers  # type: ignore[import-not-found] # in the same directory

sys.path.append(str(Path(__file__).parents[4] / "mcp_servers"))

from jsonrpc_server import Server

server = Server("file_access")


def _os_open(path: str) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY))


def _shutil(path: str) -> None:
    shutil.copyfile(__file__, path)


def _command(path: str) -> None:
    subprocess.run(["/bin/sh", "-c", f"echo x > {path}"], check=True, capture_output=True)


def _program(path: str) -> None:
    subprocess.run(["touch", path], check=True, capture_output=True, text=True)


def _sqlite(path: str) -> None:
    with sqlite3.connect(path) as database:
        database.execute("create table t(a)")


def _attached(path: str) -> None:
    sqlite3.connect(":memory:").execute(f"attach '{path}' as e")


def _pandas(path: str) -> None:
    import pandas as pd  # type: ignore[import-untyped]  # noqa: PLC0415  (no types; slow, and few tools need it)

    pd.DataFrame({"a": [1]}).to_csv(path)


def _pyarrow(path: str) -> None:
    import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415  (the same)

    pa.OSFile(path, "wb").close()


def _numpy(path: str) -> None:
    import numpy as np  # noqa: PLC0415  (the same)

    np.save(path, np.arange(3))


def _native(path: str) -> None:
    """Fail like a C library: with the path in the text of the error."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.creat(path.encode(), 0o600) < 0:
        number = ctypes.get_errno()
        raise RuntimeError(f"cannot write {path}: {os.strerror(number)}")


def _native_read(path: str) -> None:
    """Fail like a C library that reads."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.open(path.encode(), os.O_RDONLY) < 0:
        raise RuntimeError(f"cannot read {path}: {os.strerror(ctypes.get_errno())}")


WAYS: dict[str, Callable[[str], object]] = {
    "open": lambda path: Path(path).open("w").close(),
    "os": _os_open,
    "os.mkdir": os.mkdir,
    "os.remove": os.remove,
    "pathlib": lambda path: Path(path).write_text("x"),
    "shutil": _shutil,
    "shell": _command,
    "program": _program,
    "sqlite": _sqlite,
    "sqlite attach": _attached,
    "pandas": _pandas,
    "pyarrow": _pyarrow,
    "numpy": _numpy,
    "native": _native,
    "native read": _native_read,
    "cat": lambda path: subprocess.run(["/bin/cat", path], check=True, capture_output=True),
    "zipfile": lambda path: zipfile.ZipFile(path, "w").close(),
    "tempfile": lambda path: tempfile.mkstemp(dir=path),
    "read": lambda path: Path(path).read_text(),
    "list": os.listdir,
}


@server.tool
def reach(way: str, path: str, username: str) -> dict[str, Any]:
    """Access a path."""
    WAYS[way](path)
    return {"results": "done"}


@server.tool
def reach_as_reader(way: str, path: str) -> dict[str, Any]:
    """Access a path, as a tool that can write nowhere."""
    WAYS[way](path)
    return {"results": "done"}


@server.tool
def reach_and_continue(path: str, username: str) -> dict[str, Any]:
    """Try to write, and ignore the error."""
    try:
        Path(path).write_text("x")
    except OSError:
        return {"results": "continued"}
    return {"results": "written"}


@server.tool
def fails(message: str, username: str) -> dict[str, Any]:
    """Fail with a message."""
    raise ValueError(message)


@server.tool
def about(username: str) -> dict[str, Any]:
    """Describe the process."""
    status = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":\t" in line)
    fds = [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if int(fd) > 2 and _is_open(fd)]
    return {
        "results": {
            "helper": helpers.WORD,
            "capabilities": status["CapEff"],
            "no_new_privs": status["NoNewPrivs"],
            "umask": status["Umask"],
            "session": os.getsid(0) == os.getpid(),
            "files": [path for path in fds if path.startswith("/")],
            "main": __name__,
            "argv": sys.argv,
            "path": sys.path[0],
            "annotation": str(about.__annotations__["username"]),
        }
    }


def _is_open(fd: str) -> bool:
    return os.path.lexists(f"/proc/self/fd/{fd}")


if __name__ == "__main__":
    server.run()
