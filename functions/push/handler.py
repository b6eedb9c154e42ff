"""The target of the table's stream: sends new events to the connections that follow their turn."""

from typing import Any

from satchel.bootstrap.logs import set_up_logs
from satchel.bootstrap.push import build


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Serve the turns of one batch."""
    del context
    set_up_logs("push")
    return build()(event)
