"""The runner: executes the tools of one server, or of all remote ones, for one person; untrusted by design."""

from typing import Any

from satchel.bootstrap.observed import observed
from satchel.bootstrap.run_tool import build, client, close, ports
from satchel.ports.runners import CallOrder


@observed("run_tool")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Run one call (invoked asynchronously), or list the tools of the server that is named."""
    del context
    server = event["server"]
    if event.get("action") == "list":
        return {"tools": [tool.model_dump(mode="json") for tool in client(server).list_tools()]}
    order = CallOrder.model_validate(event)
    build(server)(order, ports(order))
    return {"call_id": order.call_id}


def shutdown() -> None:
    """End the servers with everything they started."""
    close()
