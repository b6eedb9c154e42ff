"""Rotates the keys that sign download links. Secrets Manager invokes it for each of four steps."""

from typing import Any

from satchel.bootstrap.functions import secret_rotation
from satchel.bootstrap.observed import observed


@observed("rotate")
def handler(event: dict[str, Any], context: object) -> None:
    """Perform one step of a rotation."""
    del context
    secret_rotation()(event["Step"], event["SecretId"], event["ClientRequestToken"])
