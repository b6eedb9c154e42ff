"""Empties a bucket that CloudFormation is about to delete. CloudFormation deletes only empty buckets."""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ObjectIdentifierTypeDef

_log = logging.getLogger(__name__)
_TAG = "satchel:empty-on-delete"
_MIN_REMAINING_MS = 20_000
_ANSWER_SECONDS = 10


@dataclass(frozen=True)
class BucketEmptier:
    """Handle the events of a CloudFormation custom resource: ``ResourceProperties`` names the ``Bucket``.

    The bucket is emptied only if it has the tag ``satchel:empty-on-delete``. CloudFormation also deletes a custom
    resource when an update removes only this resource from the stack. Such an update removes the tag first, so the
    objects remain.
    """

    client: "S3Client"

    def __call__(self, event: Mapping[str, Any], *, remaining_ms: Callable[[], int]) -> None:
        """Handle an event and send the result to its ``ResponseURL``. Without a result, CloudFormation waits an hour.

        ``remaining_ms`` returns the time until the function's timeout. Raises what sending the result raises.
        """
        bucket = event["ResourceProperties"]["Bucket"]
        problem = ""
        if event["RequestType"] == "Delete":
            try:
                problem = self._empty(bucket, remaining_ms)
            except ClientError as error:
                _log.exception("cannot empty %s", bucket)
                problem = str(error)
        _answer(event, bucket, problem)

    def _empty(self, bucket: str, remaining_ms: Callable[[], int]) -> str:
        """Delete all versions of all objects. Return the reason if objects remain, or empty text."""
        if not self._is_tagged(bucket):
            return ""
        while objects := self._list(bucket):
            if remaining_ms() < _MIN_REMAINING_MS:
                return f"{bucket} has more objects than one run can delete: delete the stack again"
            result = self.client.delete_objects(Bucket=bucket, Delete={"Objects": objects, "Quiet": True})
            if failed := result.get("Errors"):
                return f"{len(failed)} objects of {bucket} were not deleted: {failed[0].get('Message')}"
        return ""

    def _list(self, bucket: str) -> "list[ObjectIdentifierTypeDef]":
        """Return the first thousand versions and delete markers."""
        page = self.client.list_object_versions(Bucket=bucket)
        entries = [*page.get("Versions", []), *page.get("DeleteMarkers", [])]
        return [{"Key": entry["Key"], "VersionId": entry["VersionId"]} for entry in entries]

    def _is_tagged(self, bucket: str) -> bool:
        """Return True if the bucket exists and has the tag that allows emptying it."""
        try:
            tags = self.client.get_bucket_tagging(Bucket=bucket)["TagSet"]
        except ClientError as error:
            if error.response["Error"]["Code"] in {"NoSuchBucket", "NoSuchTagSet"}:
                return False
            raise
        return any(tag["Key"] == _TAG for tag in tags)


def _answer(event: Mapping[str, Any], bucket: str, problem: str) -> None:
    """Send the result to CloudFormation: success, or failure if there is a problem."""
    ids = {key: event[key] for key in ("StackId", "RequestId", "LogicalResourceId")}
    result = {"Status": "FAILED" if problem else "SUCCESS", "Reason": problem, "PhysicalResourceId": bucket, **ids}
    # The signature of the URL covers an empty content type, so urllib must not send its default type.
    request = Request(event["ResponseURL"], json.dumps(result).encode(), {"Content-Type": ""}, method="PUT")  # noqa: S310  (CloudFormation sends an https URL)
    with urlopen(request, timeout=_ANSWER_SECONDS):  # noqa: S310  (the same)
        pass
