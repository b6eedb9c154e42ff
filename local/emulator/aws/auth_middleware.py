"""WSGI middleware that authenticates requests to the loopback server of the emulated AWS.

The server holds all users' files, and every program and every open web page on this machine can reach the server. The
middleware therefore accepts only requests that are signed with the emulator's key or with a key that the emulated STS
issued. Runners (the processes that run tools) send the signature in the Authorization header; presigned S3 URLs contain
the signature. A browser first sends a preflight request (OPTIONS) to a presigned URL. A preflight's signature cannot be
checked, so the middleware checks only the access key and the expiry in the URL.

The Host header check stops foreign host names that resolve to this machine (DNS rebinding). The Origin header check
stops web pages from other machines. A page on another local port may use a presigned URL, as on AWS. moto's control
pages below ``/moto-api`` are always closed.
"""

import datetime as dt
import io
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from local.emulator.aws.signatures import (
    RequestRejected,
    SecretLookup,
    check_authorization_header,
    check_preflight,
    check_presigned_url,
)

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_LOOPBACK_NAMES = ("127.0.0.1", "localhost")


def with_authentication(application: "WSGIApplication", secret_of: SecretLookup, port: int) -> "WSGIApplication":
    """Return ``application`` wrapped so that unauthenticated requests to ``port`` get a 403 response."""

    def authenticate(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        try:
            _check_addresses(environ, port)
            _check_signature(environ, secret_of)
        except RequestRejected as error:
            return _respond_403(error, environ, start_response)
        return application(environ, start_response)

    return authenticate


def _check_addresses(environ: "WSGIEnvironment", port: int) -> None:
    if environ.get("HTTP_HOST", "").lower() not in {f"{name}:{port}" for name in _LOOPBACK_NAMES}:
        raise RequestRejected("AccessDenied", "This server only accepts its own host name.")
    origin = environ.get("HTTP_ORIGIN")
    if origin is not None and not _is_local(origin):
        raise RequestRejected("AccessDenied", "This server only accepts requests of pages on this machine.")
    if environ["PATH_INFO"].startswith("/moto-api"):
        raise RequestRejected("AccessDenied", "Access Denied")


def _is_local(origin: str) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and parts.hostname in _LOOPBACK_NAMES


def _check_signature(environ: "WSGIEnvironment", secret_of: SecretLookup) -> None:
    method, headers = environ["REQUEST_METHOD"], _headers(environ)
    url = f"http://{environ['HTTP_HOST']}{environ['RAW_URI']}"
    now = dt.datetime.now(tz=dt.UTC)
    if "authorization" in headers:
        check_authorization_header(method, url, headers, partial(_body, environ), secret_of=secret_of, now=now)
    elif method == "OPTIONS":
        check_preflight(url, secret_of=secret_of, now=now)
    else:
        check_presigned_url(method, url, headers, secret_of=secret_of, now=now)


def _headers(environ: "WSGIEnvironment") -> dict[str, str]:
    headers = {name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")}
    return headers | {
        "content-type": environ.get("CONTENT_TYPE", ""),
        "content-length": environ.get("CONTENT_LENGTH", ""),
    }


def _body(environ: "WSGIEnvironment") -> bytes:
    """Read and return the request body. Replace the WSGI input stream, so that the application also gets the body."""
    body: bytes = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    environ["wsgi.input"] = io.BytesIO(body)
    return body


def _respond_403(
    error: RequestRejected, environ: "WSGIEnvironment", start_response: "StartResponse"
) -> Iterable[bytes]:
    body = f"<Error><Code>{error.code}</Code><Message>{escape(str(error))}</Message></Error>".encode()
    headers = [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))]
    start_response("403 Forbidden", headers)
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
