"""The limit of a server's memory, on a machine whose kernel limits only single processes."""

from pathlib import Path

from satchel.adapters.event_loop import EventLoop
from satchel.ports.tool_client import CallFailure
from tests.integration.sandbox.conftest import LAYERS, sandboxed
from tests.integration.sandbox.sandboxed_server import SANDBOXED_TOOLS

EVALUATE = str(SANDBOXED_TOOLS / "evaluate")
EXCEEDED = CallFailure(
    crashed=True, message="The tool's server was ended because it used more than 128 MiB of memory (`memory_mb`)"
)
WAIT = "import time\ntime.sleep(60)"


def test_server_that_uses_too_much_memory_is_ended_and_the_next_call_works(loop: EventLoop, tmp_path: Path) -> None:
    with sandboxed(loop, tmp_path / "alice", LAYERS, cwd=EVALUATE, memory_mb=128) as server:
        assert server.call("run", code=f"x = b'1' * (200 << 20)\n{WAIT}").end == EXCEEDED
        assert server.call("run", code="result = 1").results == 1


def test_memory_of_all_processes_of_a_server_counts(loop: EventLoop, tmp_path: Path) -> None:
    code = f"import os\nfor _ in range(3):\n    if os.fork() == 0:\n        break\nx = b'1' * (45 << 20)\n{WAIT}"
    with sandboxed(loop, tmp_path / "alice", LAYERS, cwd=EVALUATE, memory_mb=128) as server:
        assert server.call("run", code=code).end == EXCEEDED


def test_mapped_files_and_memory_below_the_limit_are_allowed(loop: EventLoop, tmp_path: Path) -> None:
    code = """
import mmap, os, time
x = b"1" * (60 << 20)
path = os.path.join(os.environ["SATCHEL_WORKSPACE"], "large")
with open(path, "wb") as file:
    for _ in range(200):
        file.write(b"1" * (1 << 20))
with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
    size = sum(mapped[i] for i in range(0, len(mapped), 4096))
    time.sleep(1)
result = size
"""
    with sandboxed(loop, tmp_path / "alice", LAYERS, cwd=EVALUATE, memory_mb=128) as server:
        assert server.call("run", code=code).results == 49 * (200 << 20) // 4096
