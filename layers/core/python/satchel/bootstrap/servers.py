"""The registry of servers, read once a process."""

import os
from functools import lru_cache

from satchel.adapters.server_config import read_registry
from satchel.domain.servers import Registry
from satchel.settings import ServerSettings


@lru_cache
def registry() -> Registry:
    """Return the configured servers. The runner of one has its secrets filled in; everybody else needs none."""
    return read_registry(ServerSettings().mcp_config, os.environ, own=os.environ.get("SATCHEL_SERVER"))
