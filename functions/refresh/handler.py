"""Sends synchronous requests to runners: for tool lists, before users need them, and for prompts and resources.

The API may invoke this function, but no runner: so it can request only what a server offers, and cannot run tools.
"""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed
from satchel.domain.ids import UserName
from satchel.domain.resources import OfferRequest

_DEPLOYMENT_SOURCE = "aws.cloudformation"


@observed("refresh")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Request a prompt or a resource for a user, or refresh tool lists: all after a deployment, else outdated ones."""
    del context
    if event.get("action") == "offer":
        request, user = OfferRequest.model_validate(event["request"]), UserName(event["user"])
        return use_cases().ports.runners.read_offer(event["server"], user, request).model_dump(mode="json")
    refresh = use_cases().refresh_tools
    servers = list(refresh.registry.servers) if event.get("source") == _DEPLOYMENT_SOURCE else refresh.due()
    refresh.refresh_all(servers)
    return {"asked": servers}
