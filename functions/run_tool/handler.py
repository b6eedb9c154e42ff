"""The runner (a Lambda function): executes tools of one stdio server, or of all remote servers, for one user."""

from typing import Any

from satchel.bootstrap.observed import observed
from satchel.bootstrap.runner import call_ports, close_servers, run_tool_use_case, tool_client
from satchel.ports.runners import CallOrder


@observed("run_tool")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Run one tool call (asynchronous invocation), or list an MCP server's tools (synchronous invocation).

    The list includes the isolation of this machine, because only the runner knows the kernel that its tools run on.
    """
    del context
    server = event["server"]
    if event.get("action") == "list":
        client = tool_client(server)
        isolation = client.isolation and client.isolation.model_dump(mode="json")
        return {"tools": [tool.model_dump(mode="json") for tool in client.list_tools()], "isolation": isolation}
    order = CallOrder.model_validate(event)
    run_tool_use_case(server)(order, call_ports(order))
    return {"call_id": order.call_id}


def shutdown() -> None:
    """Stop the MCP servers and all of their processes. The local emulator calls this before an environment ends."""
    close_servers()
