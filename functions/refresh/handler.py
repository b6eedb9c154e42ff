"""Requests the tool lists of MCP servers before users need them, so that no user must wait for a server to start."""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed

_DEPLOYMENT_SOURCE = "aws.cloudformation"


@observed("refresh")
def handler(event: dict[str, Any], context: object) -> dict[str, list[str]]:
    """Refresh the tool lists of all servers after a deployment. At other times, refresh only outdated lists."""
    del context
    refresh = use_cases().refresh_tools
    servers = list(refresh.registry.servers) if event.get("source") == _DEPLOYMENT_SOURCE else refresh.due()
    refresh.refresh_all(servers)
    return {"asked": servers}
