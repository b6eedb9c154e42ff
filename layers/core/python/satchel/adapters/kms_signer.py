"""Signs the tokens of dashboards with asymmetric keys of AWS KMS, so that no process ever holds a private key.

The tokens are JWTs with ES256. The code needs no library for cryptography, because KMS signs the tokens, and the
servers that host dashboards verify them.
"""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from satchel.domain.dashboard_tokens import DashboardClaims, PublicKey

if TYPE_CHECKING:
    from mypy_boto3_kms import KMSClient

_COORDINATE_BYTES = 32
# The public key of every P-256 key begins with these bytes (RFC 5480): algorithm, curve, and "uncompressed point".
_PUBLIC_KEY_PREFIX = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")


@dataclass(frozen=True)
class KmsSigner:
    """Sign tokens with the first of the KMS keys ``keys`` (key ids). Implements ``ports.links.DashboardSigner``."""

    load_client: Callable[[], "KMSClient"]
    keys: tuple[str, ...]

    def sign(self, claims: DashboardClaims) -> str:
        """Return a token with these claims. Takes one request to KMS."""
        header = {"alg": "ES256", "kid": self.keys[0], "typ": "JWT"}
        signed = f"{_segment(header)}.{_segment(claims.model_dump())}"
        response = self.load_client().sign(
            KeyId=self.keys[0], Message=signed.encode(), MessageType="RAW", SigningAlgorithm="ECDSA_SHA_256"
        )
        return f"{signed}.{_base64url(jws_signature(response['Signature']))}"

    def public_keys(self) -> list[PublicKey]:
        """Return the public keys of all ``keys``. They never change, so only the first call requests them from KMS."""
        return self._public_keys

    @cached_property
    def _public_keys(self) -> list[PublicKey]:
        client = self.load_client()
        return [parse_public_key(key, client.get_public_key(KeyId=key)["PublicKey"]) for key in self.keys]


def parse_public_key(key_id: str, der: bytes) -> PublicKey:
    """Convert a P-256 public key from X.509's SubjectPublicKeyInfo. Raise ValueError if it is another kind of key."""
    point = der.removeprefix(_PUBLIC_KEY_PREFIX)
    if len(point) != 2 * _COORDINATE_BYTES:
        raise ValueError(f"the key {key_id} is not an elliptic curve key on P-256")
    return PublicKey(kid=key_id, x=_base64url(point[:_COORDINATE_BYTES]), y=_base64url(point[_COORDINATE_BYTES:]))


def jws_signature(der: bytes) -> bytes:
    """Convert an ECDSA signature from DER, which KMS returns, to the 64 bytes that JWS requires (RFC 7518 §3.4).

    DER is ``30 length 02 length r 02 length s``. Its numbers have a varying length: leading zeros are absent, and a
    zero precedes a number whose first bit is set.
    """
    r_start, r_length = 4, der[3]
    s_start = r_start + r_length + 2
    numbers = (der[r_start : r_start + r_length], der[s_start:])
    return b"".join(int.from_bytes(number).to_bytes(_COORDINATE_BYTES) for number in numbers)


def _segment(value: object) -> str:
    return _base64url(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
