"""Copies the web client from its Lambda layer to the web page's S3 bucket.

EventBridge invokes it at the end of each deployment. In case that event is lost, a schedule invokes it as well.
"""

from collections.abc import Mapping

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed

_SCHEDULE = "aws.events"  # the source of the events of schedules


@observed("publish_page")
def handler(event: object, context: object) -> dict[str, int]:
    """Copy all files of the web client to the S3 bucket, or none if a schedule finds that all are published already.

    Return the number of copied files.
    """
    del context
    is_check = isinstance(event, Mapping) and event.get("source") == _SCHEDULE
    return {"files": use_cases().publish_page(only_if_changed=is_check)}
