"""Empties a bucket before CloudFormation deletes it. CloudFormation invokes this function as a custom resource."""

from typing import Any

from satchel.bootstrap.functions import bucket_emptier
from satchel.bootstrap.observed import observed


@observed("empty_bucket")
def handler(event: dict[str, Any], context: Any) -> None:  # noqa: ANN401  (Lambda's context object)
    """Delete all objects if the event announces the deletion of the bucket, then send the result to CloudFormation."""
    bucket_emptier()(event, remaining_ms=context.get_remaining_time_in_millis)
