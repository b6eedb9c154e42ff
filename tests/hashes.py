"""Hashes in the encodings of S3 and of the API."""

import base64
import hashlib


def base64_sha256(body: bytes) -> str:
    """Return the SHA-256 hash in Base64, as in S3's `x-amz-checksum-sha256` header and in the API for upload parts."""
    return base64.b64encode(hashlib.sha256(body).digest()).decode()
