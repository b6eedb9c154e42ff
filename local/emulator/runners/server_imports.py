"""Imports that most Python servers need, loaded once by the fork server, before it imports anything else of Satchel.

Libraries that many servers use but no server needs to start are imported later, by ``when_idle``.
``on_fork`` forks a process that has only these modules. It becomes the server of the environment, so that the server
need not import them (``satchel.adapters.mcp.prepared_server``).
"""

import gc
import importlib
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

_MODULES = (
    "fastmcp",
    # what a server loads by `from fastmcp import FastMCP` and by its first listing of tools
    "fastmcp.server.server",
    "key_value.aio.adapters.pydantic",
    "key_value.aio.stores.memory",
    "griffe",  # reads the docstrings of tools
    "anyio._backends._asyncio",
    "mcp.server.stdio",
    "email.message",
    "asyncio",
    "dateutil.parser",  # before boto3 imports it: matplotlib and the server must use the same module
    "dateutil.relativedelta",
)
_CHART_MODULES = ("numpy", "matplotlib.figure", "matplotlib.backends.backend_agg")
"""Importing these takes half a second of processor time, a third of it for the list of the machine's fonts."""
_OWN_PACKAGES = {"local", "satchel", "psutil"}

_server_modules: set[str] = set()
_thresholds = gc.get_threshold()


def when_idle() -> None:
    """Import libraries that no server needs to start. The fork server calls this when it has nothing else to do.

    ``numpy.random`` is not among them, because all servers would then draw the same numbers.
    """
    before = set(sys.modules)
    _import(_CHART_MODULES)
    _server_modules.update(sys.modules.keys() - before)


def on_fork() -> Callable[[], None] | None:
    """Fork a prepared server process from a new environment. In the new process, return the program that it must run.

    In the environment, return None.
    """
    from local.emulator.runners import server_process  # noqa: PLC0415  (imports the client's modules)

    program = server_process.fork(_server_modules)
    if program:
        gc.set_threshold(*_thresholds)  # which ``satchel.bootstrap`` has changed since
    return program


def _import(names: Sequence[str]) -> None:
    for name in names:
        with suppress(ImportError):  # servers that need a missing library cannot start either
            importlib.import_module(name)


_import(_MODULES)
_server_modules.update(name for name in sys.modules if name.partition(".")[0] not in _OWN_PACKAGES)
