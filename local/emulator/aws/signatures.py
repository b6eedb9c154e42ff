"""Verify a request's AWS Signature Version 4, in the query of a presigned URL or in the Authorization header.

moto accepts any signature, so without this check a forged, altered or expired URL would work locally and fail on AWS.
The check computes the signature as the client does, with the secret that belongs to the request's access key id.
Signature Version 2 and POST policies are rejected, because Satchel uses neither.
"""

import datetime as dt
import hmac
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from botocore.auth import S3SigV4Auth, S3SigV4QueryAuth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

SecretLookup = Callable[[str], str | None]
"""Type of a function that returns the secret of an access key id, or None if there is no such key."""

_MAX_CLOCK_SKEW = dt.timedelta(minutes=15)
_MAX_URL_SECONDS = 7 * 24 * 3600
_TIME_FORMAT = "%Y%m%dT%H%M%SZ"
_CREDENTIAL_PARTS = 5  # a credential has five parts: key id, date, region, service, and the word aws4_request
_REQUIRED_PARAMETERS = {
    "X-Amz-Credential",
    "X-Amz-Date",
    "X-Amz-Expires",
    "X-Amz-SignedHeaders",
    "X-Amz-Signature",
}
_AUTHORIZATION = re.compile(r"AWS4-HMAC-SHA256 Credential=([^,\s]+), *SignedHeaders=([^,\s]+), *Signature=([^,\s]+)")


class RequestRejected(Exception):
    """A request failed authentication. ``code`` is the S3 error code for the response."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class _Scope:
    """The signer's credentials, and the region and service for which the signature is valid."""

    credentials: Credentials
    region: str
    service: str


def check_presigned_url(
    method: str, url: str, headers: Mapping[str, str], *, secret_of: SecretLookup, now: dt.datetime
) -> None:
    """Raise RequestRejected unless ``url`` has a signature that is valid for this S3 request at ``now``.

    The signature covers object key, query, method, expiry and the signed headers (including a fixed Content-Type). Pass
    ``url`` as received, without decoding it. ``headers`` must have lowercase names, and ``now`` must have a time zone.
    """
    query = _query(url)
    scope = _check_query(query, secret_of, now)
    request = AWSRequest(method=method, url=url.replace(f"&X-Amz-Signature={query['X-Amz-Signature']}", ""))
    for name in query["X-Amz-SignedHeaders"].split(";"):
        request.headers[name] = headers.get(name, "")
    signer = S3SigV4QueryAuth(scope.credentials, scope.service, scope.region)
    _check_signature(signer, request, query["X-Amz-Date"], query["X-Amz-Signature"])


def check_preflight(url: str, *, secret_of: SecretLookup, now: dt.datetime) -> None:
    """Raise RequestRejected unless the access key and the expiry in ``url`` are valid.

    The signature of a browser's preflight cannot be checked, because a preflight has neither the method nor the headers
    that were signed. Accepting a preflight is safe: the response contains only CORS headers.
    """
    _check_query(_query(url), secret_of, now)


def check_authorization_header(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: Callable[[], bytes],
    *,
    secret_of: SecretLookup,
    now: dt.datetime,
) -> None:
    """Raise RequestRejected unless the Authorization header is valid for this request at ``now``.

    The signature covers access key, method, URL, signed headers, body and time. Pass ``url`` as received, without
    decoding it. ``headers`` must have lowercase names with dashes, and ``now`` must have a time zone. The function
    ``body`` is called to read the request body only if the access key and the time are valid. It is not called if the
    client has signed the header ``x-amz-content-sha256`` (the hash of the body), as S3 clients do.
    """
    parts = _AUTHORIZATION.fullmatch(headers.get("authorization", ""))
    if parts is None:
        raise RequestRejected("AccessDenied", "Access Denied")
    scope = _parse_scope(parts[1], secret_of)
    timestamp = headers.get("x-amz-date", "")
    _check_request_time(timestamp, now)
    names = parts[2].split(";")
    request = AWSRequest(method=method, url=url, data=b"" if "x-amz-content-sha256" in names else body())
    for name in names:
        request.headers[name] = headers.get(name.replace("_", "-"), "")  # names in ``headers`` have only dashes
    signer = (S3SigV4Auth if scope.service == "s3" else SigV4Auth)(scope.credentials, scope.service, scope.region)
    _check_signature(signer, request, timestamp, parts[3])


def _query(url: str) -> dict[str, str]:
    query = {name: values[0] for name, values in parse_qs(urlsplit(url).query, keep_blank_values=True).items()}
    if not query.keys() >= _REQUIRED_PARAMETERS:
        raise RequestRejected("AccessDenied", "Access Denied")
    return query


def _check_query(query: Mapping[str, str], secret_of: SecretLookup, now: dt.datetime) -> _Scope:
    scope = _parse_scope(query["X-Amz-Credential"], secret_of)
    if scope.service != "s3":
        raise RequestRejected("InvalidAccessKeyId", "The signature is for another service.")
    _check_expiry(query, now)
    return scope


def _check_expiry(query: Mapping[str, str], now: dt.datetime) -> None:
    try:
        signed_at = _parse_time(query["X-Amz-Date"])
        seconds = int(query["X-Amz-Expires"])
    except ValueError as error:
        raise RequestRejected("AuthorizationQueryParametersError", str(error)) from error
    if not 0 < seconds <= _MAX_URL_SECONDS:
        raise RequestRejected("AuthorizationQueryParametersError", "X-Amz-Expires must be between 1 and 604800 seconds")
    if not signed_at <= now + _MAX_CLOCK_SKEW:
        raise RequestRejected("AccessDenied", "Request is not valid yet")
    if now >= signed_at + dt.timedelta(seconds=seconds):
        raise RequestRejected("AccessDenied", "Request has expired")


def _check_request_time(timestamp: str, now: dt.datetime) -> None:
    try:
        signed_at = _parse_time(timestamp)
    except ValueError as error:
        raise RequestRejected("AccessDenied", "X-Amz-Date is missing or malformed") from error
    if abs(now - signed_at) > _MAX_CLOCK_SKEW:
        raise RequestRejected(
            "RequestTimeTooSkewed", "The difference between the request time and the server's time is too large."
        )


def _parse_scope(text: str, secret_of: SecretLookup) -> _Scope:
    """Parse the credential ``{key id}/{date}/{region}/{service}/aws4_request``.

    Raise RequestRejected if the credential is malformed or the key id does not exist.
    """
    parts = text.split("/")
    secret = secret_of(parts[0])
    if len(parts) != _CREDENTIAL_PARTS or parts[4] != "aws4_request" or secret is None:
        raise RequestRejected("InvalidAccessKeyId", "The access key id does not exist in our records.")
    return _Scope(Credentials(parts[0], secret), region=parts[2], service=parts[3])


def _parse_time(timestamp: str) -> dt.datetime:
    """Parse the request time from ``X-Amz-Date``. Raise ValueError if the text is malformed."""
    return dt.datetime.strptime(timestamp, _TIME_FORMAT).replace(tzinfo=dt.UTC)


def _check_signature(signer: SigV4Auth, request: AWSRequest, timestamp: str, signature: str) -> None:
    """Raise RequestRejected unless ``signature`` equals the signature that ``signer`` computes at ``timestamp``."""
    request.context["timestamp"] = timestamp
    expected = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
    if not hmac.compare_digest(expected.encode(), signature.encode()):
        raise RequestRejected("SignatureDoesNotMatch", "The request signature we calculated does not match.")
