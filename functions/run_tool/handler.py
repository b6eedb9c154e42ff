"""The runner (a Lambda function): executes tools of one stdio server, or of all remote servers, for one user."""

from typing import Any

from satchel.bootstrap.observed import observed
from satchel.bootstrap.runner import call_ports, close_servers, run_tool_use_case, tool_client
from satchel.ports.runners import CallOrder
from satchel.ports.tool_client import ServerSession


@observed("run_tool")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Run one tool call or end an MCP session (asynchronous invocation), or list an MCP server's tools (synchronous).

    The list includes the isolation of this machine, because only the runner knows the kernel that its tools run on.
    """
    del context
    server = event["server"]
    if event.get("action") == "list":
        client = tool_client(server)
        isolation = client.isolation and client.isolation.model_dump(mode="json")
        tools, offers = client.list_all()
        return {
            "tools": [tool.model_dump(mode="json") for tool in tools],
            "offers": offers.model_dump(mode="json"),
            "isolation": isolation,
        }
    if event.get("action") == "end":
        tool_client(server).end_session(ServerSession.model_validate(event["session"]))
        return {"server": server}
    order = CallOrder.model_validate(event)
    run_tool_use_case(server)(order, call_ports(server, order))
    return {"call_id": order.call_id}


def shutdown() -> None:
    """Stop the MCP servers and all of their processes. The local emulator calls this before an environment ends."""
    close_servers()
