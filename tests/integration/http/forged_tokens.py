"""Tokens that an attacker without the signing key can make from a valid one."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

_HASHES = {"HS256": hashlib.sha256, "HS384": hashlib.sha384, "HS512": hashlib.sha512}
_RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
_EC = ec.generate_private_key(ec.SECP256R1())
_GUESSED = b"x" * 64
_TWO_ALGORITHMS = b'{"alg":"HS256","kid":"k1","alg":"none"}'


def segment(value: object) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass(frozen=True)
class Genuine:
    """A valid token, from which the forgeries are made.

    ``published`` is text that attackers know, such as a public key. A verifier may take it for the secret of an HMAC.
    """

    token: str
    published: bytes = b"k1"

    @property
    def parts(self) -> list[str]:
        return self.token.split(".")

    @property
    def header(self) -> dict[str, object]:
        header: dict[str, object] = json.loads(decoded(self.parts[0]))
        return header

    @property
    def claims(self) -> dict[str, object]:
        claims: dict[str, object] = json.loads(decoded(self.parts[1]))
        return claims

    def hmac(self, key: bytes = _GUESSED, header: object = None, claims: object = None, **changes: object) -> str:
        """Return a token with changed header fields, signed with an HMAC of this key."""
        fields = self.header | {"alg": "HS256"} | changes if header is None else header
        signed = f"{segment(fields)}.{segment(self.claims if claims is None else claims)}"
        digest = _HASHES.get(str(changes.get("alg")), hashlib.sha256)
        return f"{signed}.{segment(hmac.digest(key, signed.encode(), digest))}"

    def unsigned(self, **changes: object) -> str:
        """Return a token with changed header fields and an empty signature."""
        return f"{segment(self.header | changes)}.{self.parts[1]}."

    def rsa(self, **changes: object) -> str:
        signed = f"{segment(self.header | {'alg': 'RS256'} | changes)}.{self.parts[1]}"
        return f"{signed}.{segment(_RSA.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))}"

    def elliptic(self, **changes: object) -> str:
        signed = f"{segment(self.header | {'alg': 'ES256'} | changes)}.{self.parts[1]}"
        numbers = decode_dss_signature(_EC.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{signed}.{segment(b''.join(number.to_bytes(32) for number in numbers))}"

    def nested(self, depth: int) -> bytes:
        return b'{"alg":"HS256","kid":' + b'{"a":' * depth + b"1" + b"}" * depth + b"}"


def _own_key() -> dict[str, str]:
    numbers = _EC.public_key().public_numbers()
    return {"kty": "EC", "crv": "P-256", "x": segment(numbers.x.to_bytes(32)), "y": segment(numbers.y.to_bytes(32))}


FORGERIES: dict[str, Callable[[Genuine], str]] = {
    "algorithm none": lambda g: g.unsigned(alg="none"),
    "algorithm None": lambda g: g.unsigned(alg="None"),
    "algorithm NONE": lambda g: g.unsigned(alg="NONE"),
    "algorithm nOnE": lambda g: g.unsigned(alg="nOnE"),
    "algorithm null": lambda g: g.unsigned(alg=None),
    "algorithm none with a signature": lambda g: g.hmac(alg="none"),
    "empty signature": lambda g: g.unsigned(),
    "guessed key": lambda g: g.hmac(),
    "empty key": lambda g: g.hmac(b""),
    "HMAC with published text as the key": lambda g: g.hmac(g.published),
    "HS384": lambda g: g.hmac(alg="HS384"),
    "HS512": lambda g: g.hmac(alg="HS512"),
    "RS256 with a key of the attacker": lambda g: g.rsa(),
    "ES256 with a key of the attacker": lambda g: g.elliptic(),
    "key in the header": lambda g: g.elliptic(jwk=_own_key()),
    "URL of the keys in the header": lambda g: g.elliptic(jku="http://127.0.0.1:9/jwks"),
    "URL of the certificate in the header": lambda g: g.rsa(x5u="http://127.0.0.1:9/cert"),
    "critical extension": lambda g: g.hmac(crit=["exp"]),
    "payload that is not encoded": lambda g: g.hmac(b64=False, crit=["b64"]),
    "empty key id": lambda g: g.hmac(b"", kid=""),
    "unknown key id": lambda g: g.hmac(b"", kid="k9"),
    "no key id": lambda g: g.hmac(b"", header={"alg": "HS256", "typ": "JWT"}),
    "path as the key id": lambda g: g.hmac(b"", kid="../../../dev/null"),
    "query as the key id": lambda g: g.hmac(b"x", kid="' UNION SELECT 'x"),
    "list of key ids": lambda g: g.hmac(kid=[g.header["kid"]]),
    "key id with a NUL": lambda g: g.hmac(kid=f"{g.header['kid']}\0"),
    "encryption algorithm": lambda g: g.hmac(alg="dir", enc="A256GCM"),
    "deeply nested header": lambda g: f"{segment(g.nested(400))}.{g.parts[1]}.{g.parts[2]}",
    "deeply nested claims": lambda g: f"{g.parts[0]}.{segment(g.nested(400))}.{g.parts[2]}",
    "header that is a list": lambda g: f"{segment([])}.{g.parts[1]}.{g.parts[2]}",
    "header that is no JSON": lambda g: f"{segment(b'{')}.{g.parts[1]}.{g.parts[2]}",
    "header in Latin-1": lambda g: f"{segment(bytes([0xFF, 0xFE]))}.{g.parts[1]}.{g.parts[2]}",
    "second algorithm": lambda g: f"{segment(_TWO_ALGORITHMS)}.{g.parts[1]}.",
    "changed claims": lambda g: f"{g.parts[0]}.{segment(g.claims | {'sub': 'mallory@example.com'})}.{g.parts[2]}",
    "later expiry": lambda g: f"{g.parts[0]}.{segment(g.claims | {'exp': 9999999999})}.{g.parts[2]}",
    "two segments": lambda g: ".".join(g.parts[:2]),
    "four segments": lambda g: f"{g.token}.{g.parts[2]}",
    "five segments": lambda g: f"{g.parts[0]}..{g.parts[1]}.{g.parts[2]}.{g.parts[2]}",
    "4,000 characters": lambda g: g.token.ljust(4000, "A"),
    "4,000 dots": lambda _: "." * 4000,
    "not Latin-1": lambda g: g.parts[0] + ".\u00e4\u00f6.\u00fc",
}
"""Each forgery by name."""
