"""Changes the keys that sign capabilities: Secrets Manager calls for each of four steps."""

from typing import Any

from satchel.bootstrap.logs import set_up_logs
from satchel.bootstrap.rotate import build


def handler(event: dict[str, Any], context: object) -> None:
    """Take one step."""
    del context
    set_up_logs("rotate")
    build()(event["Step"], event["SecretId"], event["ClientRequestToken"])
