"""The runner (a Lambda function): executes tools of one stdio server, or of all remote servers, for one user."""

from typing import Any

from satchel.bootstrap.observed import observed
from satchel.bootstrap.runner import (
    call_ports,
    cancel_task,
    close_servers,
    describe_server,
    end_session,
    read_offer_use_case,
    run_tool_use_case,
)
from satchel.domain.resources import OfferRequest
from satchel.ports.runners import CallOrder


@observed("run_tool")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Run a call, list tools or read an offer, or (asynchronous) end an MCP session or cancel a task."""
    del context
    server = event["server"]
    if event.get("action") == "list":
        return describe_server(server)
    if event.get("action") == "offer":
        return read_offer_use_case(server)(OfferRequest.model_validate(event["request"])).model_dump(mode="json")
    if event.get("action") == "end":
        return end_session(server, event["session"])
    if event.get("action") == "cancel":
        return cancel_task(server, event["task_id"], event["session"])
    order = CallOrder.model_validate(event)
    answer = run_tool_use_case(server)(order, call_ports(server, order))
    return {"answer": answer and answer.model_dump(mode="json")}


def shutdown() -> None:
    """Stop the MCP servers and all of their processes. The local emulator calls this before an environment ends."""
    close_servers()
