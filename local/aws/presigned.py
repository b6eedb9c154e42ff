"""Refuses requests that carry no valid signature in their URL: moto answers a presigned URL whatever stands in it.

Without this a forged, altered or expired link works locally, and only here. Checked is Signature Version 4 in the
query of an S3 request: key, query, method, the signed headers (so a fixed Content-Type, too) and the expiry. A request
with an Authorization header passes unchecked, as moto lets it; a browser's preflight passes, as on AWS. Signature
Version 2 and POST policies are refused: Satchel signs neither. moto's own control pages are refused to everybody.
"""

import datetime as dt
import hmac
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

from botocore.auth import S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

Secrets = Callable[[str], str | None]
"""Returns the secret of an access key id, or None if there is no such key."""

_STAMP = "%Y%m%dT%H%M%SZ"
_LONGEST = 7 * 24 * 3600
_REQUIRED = {"X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Signature"}


class Refused(Exception):
    """The request must not be served; ``code`` is S3's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def check(method: str, url: str, headers: Mapping[str, str], *, secrets: Secrets, now: dt.datetime) -> None:
    """Return if ``url`` carries a signature that is good for this very request at ``now`` (aware).

    ``url`` is as it came over the wire, not decoded; names in ``headers`` are lower-case. Raises Refused.
    """
    query = {name: values[0] for name, values in parse_qs(urlsplit(url).query, keep_blank_values=True).items()}
    if not query.keys() >= _REQUIRED:
        raise Refused("AccessDenied", "Access Denied")
    key_id, secret, region = _credential(query["X-Amz-Credential"], secrets)
    _check_time(query, now)
    request = AWSRequest(method=method, url=url.replace(f"&X-Amz-Signature={query['X-Amz-Signature']}", ""))
    for name in query["X-Amz-SignedHeaders"].split(";"):
        request.headers[name] = headers.get(name, "")
    request.context["timestamp"] = query["X-Amz-Date"]
    signer = S3SigV4QueryAuth(Credentials(key_id, secret), "s3", region)
    expected = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
    if not hmac.compare_digest(expected.encode(), query["X-Amz-Signature"].encode()):
        raise Refused("SignatureDoesNotMatch", "The request signature we calculated does not match.")


def _credential(scope: str, secrets: Secrets) -> tuple[str, str, str]:
    parts = scope.split("/")
    secret = secrets(parts[0])
    if len(parts) != 5 or parts[3:] != ["s3", "aws4_request"] or secret is None:  # noqa: PLR2004  (SigV4's scope)
        raise Refused("InvalidAccessKeyId", "The access key id does not exist in our records.")
    return parts[0], secret, parts[2]


def _check_time(query: Mapping[str, str], now: dt.datetime) -> None:
    try:
        signed = dt.datetime.strptime(query["X-Amz-Date"], _STAMP).replace(tzinfo=dt.UTC)
        seconds = int(query["X-Amz-Expires"])
    except ValueError as error:
        raise Refused("AuthorizationQueryParametersError", str(error)) from error
    if not 0 < seconds <= _LONGEST:
        raise Refused("AuthorizationQueryParametersError", "X-Amz-Expires must be between 1 and 604800 seconds")
    if not signed <= now + dt.timedelta(minutes=15):
        raise Refused("AccessDenied", "Request is not valid yet")
    if now >= signed + dt.timedelta(seconds=seconds):
        raise Refused("AccessDenied", "Request has expired")


def guard(application: "WSGIApplication", secrets: Secrets) -> "WSGIApplication":
    """Return ``application`` with only signed requests let through."""

    def guarded(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        try:
            _admit(environ, secrets)
        except Refused as refusal:
            return _refuse(refusal, environ, start_response)
        return application(environ, start_response)

    return guarded


def _admit(environ: "WSGIEnvironment", secrets: Secrets) -> None:
    if environ["PATH_INFO"].startswith("/moto-api"):
        raise Refused("AccessDenied", "Access Denied")
    if "HTTP_AUTHORIZATION" in environ or environ["REQUEST_METHOD"] == "OPTIONS":
        return
    url = f"http://{environ.get('HTTP_HOST', '')}{environ['RAW_URI']}"
    check(environ["REQUEST_METHOD"], url, _headers(environ), secrets=secrets, now=_now())


def _now() -> dt.datetime:
    return dt.datetime.now(tz=dt.UTC)


def _headers(environ: "WSGIEnvironment") -> dict[str, str]:
    headers = {name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")}
    return headers | {
        "content-type": environ.get("CONTENT_TYPE", ""),
        "content-length": environ.get("CONTENT_LENGTH", ""),
    }


def _refuse(refusal: Refused, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    body = f"<Error><Code>{refusal.code}</Code><Message>{escape(str(refusal))}</Message></Error>".encode()
    headers = [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))]
    start_response("403 Forbidden", headers)
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
