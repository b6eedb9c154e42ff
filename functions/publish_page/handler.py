"""Copies the web client from its Lambda layer to the page's bucket at the end of each deployment."""

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed


@observed("publish_page")
def handler(event: object, context: object) -> dict[str, int]:
    """Copy all files of the web client and return how many there are. The event is ignored."""
    del event, context
    return {"files": use_cases().publish_page()}
