"""Rotates the keys that sign download links. Secrets Manager invokes this function for each rotation step."""

from typing import Any

from satchel.bootstrap.functions import secret_rotation
from satchel.bootstrap.observed import observed


@observed("rotate")
def handler(event: dict[str, Any], context: object) -> None:
    """Perform the rotation step that the Secrets Manager event names."""
    del context
    secret_rotation()(event["Step"], event["SecretId"], event["ClientRequestToken"])
