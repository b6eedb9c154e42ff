"""Tools that write files in many ways, for tests of the size limit."""

import signal
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from jsonrpc_server import Server

server = Server("growing_files")


def _write(path: Path, size: int) -> None:
    with path.open("wb") as file:
        for _ in range(size // 1024):
            file.write(b"x" * 1024)
        file.write(b"x" * (size % 1024))


def _extend(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


def _write_elsewhere_first(path: Path, size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder) / path.name, size)


def _hide_the_cause(path: Path, size: int) -> None:
    try:
        _write(path, size)
    except OSError:
        raise RuntimeError("the report is incomplete") from None


def _program(path: Path, size: int) -> None:
    subprocess.run(["/bin/dd", "if=/dev/zero", f"of={path}", "bs=1024", f"count={size // 1024}"], check=True)  # noqa: S603  (a fixed program)


def _die(path: Path, size: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    _write(path, size)


WAYS: dict[str, Callable[[Path, int], None]] = {
    "write": _write,
    "extend": _extend,
    "temporary": _write_elsewhere_first,
    "hidden cause": _hide_the_cause,
    "program": _program,
    "server dies": _die,
}


@server.tool
def generate(way: str, size: int, username: str) -> dict[str, object]:
    """Write a file of this size."""
    path = Path(f"/tmp/{username}/big.bin")
    WAYS[way](path, size)
    artifact = {"name": "big.bin", "path": str(path), "mime": "application/octet-stream"}
    return {"results": {"size": path.stat().st_size}, "artifacts": [artifact]}


@server.tool
def refuse() -> dict[str, object]:
    """Fail for a reason of its own, which has the words of the operating system."""
    raise ValueError("File too large for this analysis")


if __name__ == "__main__":
    server.run()
