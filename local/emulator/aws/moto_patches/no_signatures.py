"""Requests that moto answers in this process name who asks, and are not signed: nobody there looks at a signature.

Patches ``SigV4Auth.add_auth`` of botocore for the services that are never asked at the loopback server from here.
Without it a ninth of what such a request takes goes into its signature. S3's requests go to that server, which checks
them, and Bedrock's to AWS.
"""

from functools import cache
from typing import Any
from urllib.parse import urlsplit

from botocore.auth import SIGV4_TIMESTAMP, SigV4Auth
from botocore.compat import get_current_datetime

from local.emulator.aws.moto_patches.patching import original, replace

_ANSWERED_HERE = frozenset({"dynamodb", "lambda", "states", "sts", "secretsmanager"})

_sign = original(SigV4Auth, "add_auth")


@cache
def install() -> None:
    """Patch botocore."""
    replace(SigV4Auth, "add_auth", _name)


def _name(self: Any, request: Any) -> None:  # noqa: ANN401  (privates of botocore)
    service, _, domain = (urlsplit(request.url).hostname or "").partition(".")
    if service not in _ANSWERED_HERE or not domain.endswith(".amazonaws.com") or self.credentials is None:
        _sign(self, request)
        return
    request.context["timestamp"] = get_current_datetime().strftime(SIGV4_TIMESTAMP)
    self._modify_request_before_signing(request)
    request.headers["Authorization"] = f"AWS4-HMAC-SHA256 Credential={self.scope(request)}"
