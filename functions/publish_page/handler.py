"""Copies the web client from its Lambda layer to the web page's S3 bucket at the end of each deployment."""

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed


@observed("publish_page")
def handler(event: object, context: object) -> dict[str, int]:
    """Copy all files of the web client to the S3 bucket. Return the number of files. The event is ignored."""
    del event, context
    return {"files": use_cases().publish_page()}
