"""Changes the keys that sign capabilities: Secrets Manager calls for each of four steps."""

from typing import Any

from satchel.bootstrap.observed import observed
from satchel.bootstrap.rotate import build


@observed("rotate")
def handler(event: dict[str, Any], context: object) -> None:
    """Take one step."""
    del context
    build()(event["Step"], event["SecretId"], event["ClientRequestToken"])
