"""The target of the table's stream: sends new events to the connections that follow their turn."""

from typing import Any

from satchel.bootstrap.observed import observed
from satchel.bootstrap.push import build


@observed("push")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Serve the turns of one batch."""
    del context
    return build()(event)
