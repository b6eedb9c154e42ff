"""The MCP SDK without its server half, which its client imports for connections inside one process.

That half (with uvicorn, starlette and cryptography) is a third of the SDK's import, and a runner has no server inside.
To be imported before the SDK, and only where nobody makes such connections: in the function, not in tests or tools.
"""

import sys
from types import ModuleType

_SERVER_HALF = (
    "mcp.client._memory",
    "mcp.server",
    "mcp.server.mcpserver",
    "mcp.server.runner",
    "mcp.server.session",
    "mcp.server.stdio",
)


class _Absent(ModuleType):
    """A module in which every name is a class that nothing is an instance of."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def _import_the_client() -> None:
    """Import the SDK with the half left out. Whoever imports that half later gets the real one."""
    if "mcp" in sys.modules:
        return
    sys.modules.update({name: _Absent(name) for name in _SERVER_HALF})
    try:
        __import__("mcp")
    finally:
        for name in _SERVER_HALF:
            del sys.modules[name]


_import_the_client()
