"""The runner (a Lambda function): executes tools of one stdio server, or of all remote servers, for one user."""

from typing import Any

from satchel.bootstrap.observed import observed
from satchel.bootstrap.runner import (
    call_ports,
    close_servers,
    describe_server,
    read_offer_use_case,
    run_tool_use_case,
    tool_client,
)
from satchel.domain.resources import OfferRequest
from satchel.ports.runners import CallOrder
from satchel.ports.tool_client import ServerSession


@observed("run_tool")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Run a call or end an MCP session (asynchronous invocations), or list tools or read an offer (synchronous)."""
    del context
    server = event["server"]
    if event.get("action") == "list":
        return describe_server(server)
    if event.get("action") == "offer":
        return read_offer_use_case(server)(OfferRequest.model_validate(event["request"])).model_dump(mode="json")
    if event.get("action") == "end":
        tool_client(server).end_session(ServerSession.model_validate(event["session"]))
        return {"server": server}
    order = CallOrder.model_validate(event)
    run_tool_use_case(server)(order, call_ports(server, order))
    return {"call_id": order.call_id}


def shutdown() -> None:
    """Stop the MCP servers and all of their processes. The local emulator calls this before an environment ends."""
    close_servers()
