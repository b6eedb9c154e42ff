"""Lists the tools of servers in advance, so that no user waits for a server's cold start."""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed

_DEPLOYMENT_SOURCE = "aws.cloudformation"


@observed("refresh")
def handler(event: dict[str, Any], context: object) -> dict[str, list[str]]:
    """List the tools of all servers after a deployment, which may have changed them, else of those that are due."""
    del context
    refresh = use_cases().refresh_tools
    servers = list(refresh.registry.servers) if event.get("source") == _DEPLOYMENT_SOURCE else refresh.due()
    refresh.refresh_all(servers)
    return {"asked": servers}
