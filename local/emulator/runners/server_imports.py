"""Imports that most Python servers need, loaded once by the fork server, before it imports anything else of Satchel.

``on_fork`` forks a process that has only these modules. It becomes the server of the environment, so that the server
need not import them (``satchel.adapters.mcp.prepared_server``).
"""

import importlib
import sys
from collections.abc import Callable
from contextlib import suppress

_MODULES = ("fastmcp", "anyio._backends._asyncio", "mcp.server.stdio", "email.message", "asyncio")
_OWN_PACKAGES = {"local", "satchel", "psutil"}

for _name in _MODULES:
    with suppress(ImportError):  # servers that need a missing library cannot start either
        importlib.import_module(_name)

_server_modules = frozenset(name for name in sys.modules if name.partition(".")[0] not in _OWN_PACKAGES)


def on_fork() -> Callable[[], None] | None:
    """Fork a prepared server process from a new environment. In the new process, return the program that it must run.

    In the environment, return None.
    """
    from local.emulator.runners import server_process  # noqa: PLC0415  (imports the client's modules)

    return server_process.fork(_server_modules)
