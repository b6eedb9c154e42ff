"""Implements ``ports.page_store.PageStore`` on a bucket."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class S3Page:
    """A bucket of the page's own."""

    def __init__(self, client: "S3Client", bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def put(self, path: str, content: bytes, media_type: str, cache: str) -> None:
        """Write the object."""
        self._client.put_object(Bucket=self._bucket, Key=path, Body=content, ContentType=media_type, CacheControl=cache)
