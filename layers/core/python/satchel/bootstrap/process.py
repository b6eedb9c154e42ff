"""Values that a process computes once: its clock, the configured servers, and the isolation the kernel supports."""

from functools import lru_cache

from satchel.adapters.sandbox.probe import find_layers
from satchel.adapters.server_config import LoadedConfig, load_config
from satchel.adapters.system_clock import SystemClock
from satchel.domain.isolation import Isolation
from satchel.domain.servers import Registry
from satchel.settings import IsolationSettings, ServerSettings

CLOCK = SystemClock()


class IsolationTooWeakError(ValueError):
    """The machine does not support the isolation level that ``SATCHEL_MIN_ISOLATION`` requires."""


@lru_cache
def server_config() -> LoadedConfig:
    """Return the content of mcp.json, without the servers' secrets, which only a server's own runner reads."""
    return load_config(ServerSettings().mcp_config)


def registry() -> Registry:
    """Return the configured MCP servers."""
    return server_config().registry


@lru_cache
def isolation() -> Isolation:
    """Return the sandbox layers that this machine's kernel supports. They isolate the processes that run tools."""
    return find_layers()


def required_isolation() -> Isolation:
    """Return the isolation of this machine. Raise IsolationTooWeakError if it is below ``SATCHEL_MIN_ISOLATION``."""
    supported, minimum = isolation(), IsolationSettings().min_isolation
    if not supported.meets(minimum):
        raise IsolationTooWeakError(
            f"SATCHEL_MIN_ISOLATION requires the level {minimum!r}, but this machine has only {supported.level!r}: "
            "`satchel doctor` lists what is missing"
        )
    return supported
