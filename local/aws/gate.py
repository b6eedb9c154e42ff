"""Who may speak to the loopback server: it holds everybody's files, and all programs and web pages here can reach it.

Served are requests to its own address that are signed with a key of ours or of our STS, in the Authorization header
(runners) or in the URL (links of S3, with the preflight that a browser sends before it follows one). The Host header
stops names that were pointed here (DNS rebinding), the Origin header pages from elsewhere; that a page of another local
port may follow a link is as on AWS, where the link alone decides. moto's own control pages are closed to everybody.
"""

import datetime as dt
import io
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from local.aws import presigned, signed
from local.aws.signatures import Refused, Secrets

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_NAMES = ("127.0.0.1", "localhost")


def gated(application: "WSGIApplication", secrets: Secrets, port: int) -> "WSGIApplication":
    """Return ``application``, which is served on ``port``, with only those let through who may."""

    def application_behind_the_gate(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        try:
            _check_addresses(environ, port)
            _check_signature(environ, secrets)
        except Refused as refusal:
            return _refuse(refusal, environ, start_response)
        return application(environ, start_response)

    return application_behind_the_gate


def _check_addresses(environ: "WSGIEnvironment", port: int) -> None:
    if environ.get("HTTP_HOST", "").lower() not in {f"{name}:{port}" for name in _NAMES}:
        raise Refused("AccessDenied", "This server answers to its own host name only.")
    origin = environ.get("HTTP_ORIGIN")
    if origin is not None and not _is_local(origin):
        raise Refused("AccessDenied", "This server answers to pages of this machine only.")
    if environ["PATH_INFO"].startswith("/moto-api"):
        raise Refused("AccessDenied", "Access Denied")


def _is_local(origin: str) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and parts.hostname in _NAMES


def _check_signature(environ: "WSGIEnvironment", secrets: Secrets) -> None:
    method, headers = environ["REQUEST_METHOD"], _headers(environ)
    url = f"http://{environ['HTTP_HOST']}{environ['RAW_URI']}"
    now = dt.datetime.now(tz=dt.UTC)
    if "authorization" in headers:
        signed.check(method, url, headers, partial(_body, environ), secrets=secrets, now=now)
    elif method == "OPTIONS":
        presigned.check_preflight(url, secrets=secrets, now=now)
    else:
        presigned.check(method, url, headers, secrets=secrets, now=now)


def _headers(environ: "WSGIEnvironment") -> dict[str, str]:
    headers = {name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")}
    return headers | {
        "content-type": environ.get("CONTENT_TYPE", ""),
        "content-length": environ.get("CONTENT_LENGTH", ""),
    }


def _body(environ: "WSGIEnvironment") -> bytes:
    """Read the body and put it back."""
    body: bytes = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    environ["wsgi.input"] = io.BytesIO(body)
    return body


def _refuse(refusal: Refused, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    body = f"<Error><Code>{refusal.code}</Code><Message>{escape(str(refusal))}</Message></Error>".encode()
    headers = [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))]
    start_response("403 Forbidden", headers)
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
