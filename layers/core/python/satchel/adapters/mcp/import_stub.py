"""Imports the client of the MCP SDK without the SDK's server code, which only in-process connections use.

Importing the server code (with uvicorn, starlette and cryptography) takes about 20 % of a runner's import time, and the
runner's Lambda layer does not contain these packages. Import this module before the SDK, and only in the runner's
Lambda function, because tests and tools can use in-process connections.
"""

import sys
from types import ModuleType

_SERVER_MODULES = (
    "mcp.client._memory",
    "mcp.server",
    "mcp.server.mcpserver",
    "mcp.server.runner",
    "mcp.server.session",
    "mcp.server.stdio",
)


class _Stub(ModuleType):
    """Stand-in for a module: every name imported from it is a new, empty class."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def _import_client() -> None:
    """Import the SDK with stubs for its server modules, then remove the stubs: later imports get the real modules."""
    if "mcp" in sys.modules:
        return
    sys.modules.update({name: _Stub(name) for name in _SERVER_MODULES})
    try:
        __import__("mcp")
    finally:
        for name in _SERVER_MODULES:
            del sys.modules[name]


_import_client()
