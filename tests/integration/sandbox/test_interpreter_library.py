"""Servers start although the interpreter finds its own library only through ``LD_LIBRARY_PATH``, as on Lambda."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LIBRARY = str(sysconfig.get_config_var("INSTSONAME"))
LIST_TOOLS = """
import os
from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.sandbox.probe import find_layers
from satchel.domain.servers import ServerEntry
loop = EventLoop()
command = ["python", "-S", "tests/refused_calls/tool_server.py"]
entry = ServerEntry(command=command, cwd=os.getcwd(), env=eval(os.environ["ENTRY"]))
client = McpToolClient("worker", entry, loop, os.environ)
print([tool.name for tool in client.list_tools()])
print("the check failed" in find_layers().missing.values())
client.close()
loop.close()
"""


@pytest.fixture
def interpreter(tmp_path: Path) -> Path:
    """A copy of this interpreter that finds its library only in the folder ``libraries``.

    The copy has no RUNPATH. Its library has another name, because the system may have a library of the same Python.
    """
    source = Path(os.path.realpath(sys.executable))
    library = Path(str(sysconfig.get_config_var("LIBDIR")), LIBRARY)
    if not library.exists() or LIBRARY.encode() not in source.read_bytes():
        pytest.skip(f"{source} contains its library, so it starts in every environment")
    renamed = LIBRARY[:-1] + "x"
    content = source.read_bytes().replace(f"{LIBRARY}\0".encode(), f"{renamed}\0".encode())
    for known in (f"{library.parent}\0", "$ORIGIN/../lib\0"):
        content = content.replace(known.encode(), b"/" * (len(known) - 1) + b"\0")
    program = tmp_path / "bin" / source.name
    for folder in ("bin", "libraries"):
        (tmp_path / folder).mkdir()
    (tmp_path / "lib").symlink_to(Path(sys.base_prefix) / "lib")
    for name in (LIBRARY, renamed):
        (tmp_path / "libraries" / name).symlink_to(library)
    program.write_bytes(content)
    program.chmod(0o755)
    assert run(program, "pass", {}).returncode != 0
    return program


def run(program: Path, code: str, environ: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    python_path = os.pathsep.join((str(ROOT), str(ROOT / "layers/core/python"), sysconfig.get_path("purelib")))
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": python_path, "ENTRY": "{}", **environ}
    return subprocess.run([program, "-c", code], cwd=ROOT, env=environ, capture_output=True, text=True, check=False)  # noqa: S603  (ours)


@pytest.mark.parametrize("entry", [{}, {"LD_LIBRARY_PATH": "/opt/other"}], ids=["alone", "with_the_entry's"])
def test_server_starts_if_only_ld_library_path_names_the_library(interpreter: Path, entry: dict[str, str]) -> None:
    libraries = interpreter.parents[1] / "libraries"
    environ = {"LD_LIBRARY_PATH": f"/opt/none:{libraries}:{interpreter.parent}", "ENTRY": repr(entry)}

    result = run(interpreter, LIST_TOOLS, environ)

    assert result.stdout == "['work']\nFalse\n", result.stderr
