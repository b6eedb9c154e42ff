"""Signature Version 4 from the server's side: the client's own computation, with the secret looked up by the key's id.

A signature stands in the query of a URL (``presigned``) or in the Authorization header (``signed``).
"""

import datetime as dt
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.credentials import Credentials

if TYPE_CHECKING:
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest

Secrets = Callable[[str], str | None]
"""Returns the secret of an access key id, or None if there is no such key."""

SKEW = dt.timedelta(minutes=15)
"""How far a client's clock may be off."""

_STAMP = "%Y%m%dT%H%M%SZ"
_PARTS = 5  # key id, date, region, service, and the word aws4_request


class Refused(Exception):
    """The request must not be served; ``code`` is S3's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Scope:
    """Who signed, and what the signature is good for."""

    credentials: Credentials
    region: str
    service: str


def read_scope(text: str, secrets: Secrets) -> Scope:
    """Read ``{key id}/{date}/{region}/{service}/aws4_request``. Raises Refused for a key that does not exist."""
    parts = text.split("/")
    secret = secrets(parts[0])
    if len(parts) != _PARTS or parts[4] != "aws4_request" or secret is None:
        raise Refused("InvalidAccessKeyId", "The access key id does not exist in our records.")
    return Scope(Credentials(parts[0], secret), region=parts[2], service=parts[3])


def read_time(stamp: str) -> dt.datetime:
    """Read ``X-Amz-Date``. Raises ValueError where it is none."""
    return dt.datetime.strptime(stamp, _STAMP).replace(tzinfo=dt.UTC)


def verify(signer: "SigV4Auth", request: "AWSRequest", stamp: str, signature: str) -> None:
    """Return if ``signature`` is what ``signer`` makes of the request at that time. Raises Refused."""
    request.context["timestamp"] = stamp
    expected = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
    if not hmac.compare_digest(expected.encode(), signature.encode()):
        raise Refused("SignatureDoesNotMatch", "The request signature we calculated does not match.")
