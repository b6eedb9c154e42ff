"""Copies the web client from its layer to the page's bucket at the end of a deployment."""

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed


@observed("publish_page")
def handler(event: object, context: object) -> dict[str, int]:
    """Copy all files, whatever the event, and return their number."""
    del event, context
    return {"files": use_cases().publish_page()}
