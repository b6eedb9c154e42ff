"""Refuses links that carry no valid signature in their URL: moto answers a presigned URL whatever stands in it.

Without this a forged, altered or expired link works locally, and only here. Checked is Signature Version 4 in the
query of an S3 request: key, query, method, the signed headers (so a fixed Content-Type, too) and the expiry. Signature
Version 2 and POST policies are refused: Satchel signs neither.
"""

import datetime as dt
from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit

from botocore.auth import S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest

from local.aws.signatures import SKEW, Refused, Scope, Secrets, read_scope, read_time, verify

_LONGEST = 7 * 24 * 3600
_REQUIRED = {"X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Signature"}


def check(method: str, url: str, headers: Mapping[str, str], *, secrets: Secrets, now: dt.datetime) -> None:
    """Return if ``url`` carries a signature that is good for this very request at ``now`` (aware).

    ``url`` is as it came over the wire, not decoded; names in ``headers`` are lower-case. Raises Refused.
    """
    query = _query(url)
    scope = _check_claims(query, secrets, now)
    request = AWSRequest(method=method, url=url.replace(f"&X-Amz-Signature={query['X-Amz-Signature']}", ""))
    for name in query["X-Amz-SignedHeaders"].split(";"):
        request.headers[name] = headers.get(name, "")
    signer = S3SigV4QueryAuth(scope.credentials, scope.service, scope.region)
    verify(signer, request, query["X-Amz-Date"], query["X-Amz-Signature"])


def check_preflight(url: str, *, secrets: Secrets, now: dt.datetime) -> None:
    """Return if ``url`` claims what a good one does: of a browser's preflight, nothing else is there to be checked.

    It carries neither the method nor the headers that were signed, and it is answered with CORS headers alone.
    Raises Refused.
    """
    _check_claims(_query(url), secrets, now)


def _query(url: str) -> dict[str, str]:
    query = {name: values[0] for name, values in parse_qs(urlsplit(url).query, keep_blank_values=True).items()}
    if not query.keys() >= _REQUIRED:
        raise Refused("AccessDenied", "Access Denied")
    return query


def _check_claims(query: Mapping[str, str], secrets: Secrets, now: dt.datetime) -> Scope:
    scope = read_scope(query["X-Amz-Credential"], secrets)
    if scope.service != "s3":
        raise Refused("InvalidAccessKeyId", "The signature is for another service.")
    _check_time(query, now)
    return scope


def _check_time(query: Mapping[str, str], now: dt.datetime) -> None:
    try:
        signed = read_time(query["X-Amz-Date"])
        seconds = int(query["X-Amz-Expires"])
    except ValueError as error:
        raise Refused("AuthorizationQueryParametersError", str(error)) from error
    if not 0 < seconds <= _LONGEST:
        raise Refused("AuthorizationQueryParametersError", "X-Amz-Expires must be between 1 and 604800 seconds")
    if not signed <= now + SKEW:
        raise Refused("AccessDenied", "Request is not valid yet")
    if now >= signed + dt.timedelta(seconds=seconds):
        raise Refused("AccessDenied", "Request has expired")
