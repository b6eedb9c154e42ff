"""The configured servers, read once a process."""

from functools import lru_cache

from satchel.adapters.server_config import read_registry
from satchel.domain.servers import Registry
from satchel.settings import ServerSettings


@lru_cache
def registry() -> Registry:
    """Return the configured servers without their secrets: only who runs a server has those filled in."""
    return read_registry(ServerSettings().mcp_config)
