"""Refuses requests whose Authorization header was not made with a key that exists: moto believes any.

Checked is Signature Version 4: key, method, URL, the signed headers, the body where its hash is no header, the time.
"""

import datetime as dt
import re
from collections.abc import Callable, Mapping

from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest

from local.aws.signatures import SKEW, Refused, Secrets, read_scope, read_time, verify

_HEADER = re.compile(r"AWS4-HMAC-SHA256 Credential=([^,\s]+), *SignedHeaders=([^,\s]+), *Signature=([^,\s]+)")


def check(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: Callable[[], bytes],
    *,
    secrets: Secrets,
    now: dt.datetime,
) -> None:
    """Return if the Authorization among ``headers`` is good for this very request at ``now`` (aware).

    ``url`` is as it came over the wire, not decoded; names in ``headers`` are lower-case with dashes. ``body`` is read
    only for a key that exists, and not for S3, whose clients send the hash. Raises Refused.
    """
    parts = _HEADER.fullmatch(headers.get("authorization", ""))
    if parts is None:
        raise Refused("AccessDenied", "Access Denied")
    scope = read_scope(parts[1], secrets)
    stamp = headers.get("x-amz-date", "")
    _check_time(stamp, now)
    names = parts[2].split(";")
    request = AWSRequest(method=method, url=url, data=b"" if "x-amz-content-sha256" in names else body())
    for name in names:
        request.headers[name] = headers.get(name.replace("_", "-"), "")  # WSGI knows no underscores
    signer = (S3SigV4Auth if scope.service == "s3" else SigV4Auth)(scope.credentials, scope.service, scope.region)
    verify(signer, request, stamp, parts[3])


def _check_time(stamp: str, now: dt.datetime) -> None:
    try:
        signed = read_time(stamp)
    except ValueError as error:
        raise Refused("AccessDenied", "X-Amz-Date is missing or malformed") from error
    if abs(now - signed) > SKEW:
        raise Refused("RequestTimeTooSkewed", "The difference between the request time and the time here is too large.")
