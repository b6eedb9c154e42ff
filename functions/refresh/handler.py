"""Asks servers for their tools, so that nobody waits for a cold one: those that are due, after a deployment all."""

from typing import Any

from satchel.bootstrap.observed import observed
from satchel.bootstrap.refresh import build

_DEPLOYMENTS = "aws.cloudformation"


@observed("refresh")
def handler(event: dict[str, Any], context: object) -> dict[str, list[str]]:
    """Serve an event of EventBridge: of the schedule, or of the end of a deployment, which brought other programs."""
    del context
    refresh = build()
    servers = list(refresh.registry.servers) if event.get("source") == _DEPLOYMENTS else refresh.due()
    refresh.ask_all(servers)
    return {"asked": servers}
