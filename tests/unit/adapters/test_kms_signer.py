import json
from base64 import urlsafe_b64decode
from typing import TYPE_CHECKING, Any, cast

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import example, given
from hypothesis import strategies as st
from joserfc import jwt
from joserfc.errors import BadSignatureError
from joserfc.jwk import ECKey, KeySet

from satchel.adapters.kms_signer import KmsSigner, jws_signature, parse_public_key
from satchel.domain.dashboard_tokens import DashboardClaims

if TYPE_CHECKING:
    from mypy_boto3_kms import KMSClient

CLAIMS = DashboardClaims(
    iss="https://satchel.example",
    aud="https://dash.example",
    sub="zoe@example.com",
    sid="s01kabcdefghjkmnpqrstvwxyz0",
    canvas_id="größe \U0001f4c8",
    iat=1_700_000_000,
    exp=1_700_000_300,
    jti="j01kabcdefghjkmnpqrstvwxyz0",
)
_INTEGERS = st.integers(min_value=1, max_value=2**256 - 1)


class FakeKms:
    """Two operations of KMS, with keys in memory."""

    def __init__(self, *key_ids: str) -> None:
        self.keys = {key_id: ec.generate_private_key(ec.SECP256R1()) for key_id in key_ids}
        self.requests: list[str] = []

    def sign(self, **arguments: Any) -> dict[str, bytes]:  # noqa: ANN401  (arguments of boto3)
        self.requests.append("Sign")
        assert (arguments["MessageType"], arguments["SigningAlgorithm"]) == ("RAW", "ECDSA_SHA_256")
        return {"Signature": self.keys[arguments["KeyId"]].sign(arguments["Message"], ec.ECDSA(SHA256()))}

    def get_public_key(self, **arguments: Any) -> dict[str, bytes]:  # noqa: ANN401  (the same)
        self.requests.append("GetPublicKey")
        return {"PublicKey": der(self.keys[arguments["KeyId"]].public_key())}

    def signer(self, *key_ids: str) -> KmsSigner:
        return KmsSigner(lambda: cast("KMSClient", self), key_ids or tuple(self.keys))


def der(key: ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey) -> bytes:
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def published_keys(signer: KmsSigner) -> KeySet:
    return KeySet([ECKey.import_key(key.model_dump()) for key in signer.public_keys()])


def test_token_has_header_and_claims_and_its_signature_is_valid() -> None:
    signer = FakeKms("one").signer()

    token = jwt.decode(signer.sign(CLAIMS), published_keys(signer), algorithms=["ES256"])

    assert token.header == {"alg": "ES256", "kid": "one", "typ": "JWT"}
    assert token.claims == CLAIMS.model_dump()


def test_claims_are_compact_json_in_utf_8() -> None:
    payload = FakeKms("one").signer().sign(CLAIMS).split(".")[1]

    assert urlsafe_b64decode(payload + "==").decode() == CLAIMS.model_dump_json()


def test_token_with_changed_claims_is_invalid() -> None:
    signer = FakeKms("one").signer()
    header, _, signature = signer.sign(CLAIMS).split(".")
    other = signer.sign(CLAIMS.model_copy(update={"sub": "mallory@example.com"})).split(".")[1]

    with pytest.raises(BadSignatureError):
        jwt.decode(f"{header}.{other}.{signature}", published_keys(signer), algorithms=["ES256"])


def test_first_key_signs_and_all_keys_are_published() -> None:
    kms = FakeKms("old", "new")
    before, after = kms.signer("old", "new"), kms.signer("new", "old")

    tokens = [before.sign(CLAIMS), after.sign(CLAIMS)]

    assert [json.loads(urlsafe_b64decode(token.split(".")[0] + "=="))["kid"] for token in tokens] == ["old", "new"]
    for keys in (published_keys(before), published_keys(after)):
        assert [jwt.decode(token, keys, algorithms=["ES256"]).claims["aud"] for token in tokens] == [CLAIMS.aud] * 2


def test_public_keys_are_requested_once() -> None:
    kms = FakeKms("old", "new")
    signer = kms.signer()

    assert signer.public_keys() == signer.public_keys()
    assert kms.requests == ["GetPublicKey"] * 2


@given(_INTEGERS, _INTEGERS)
@example(1, 1)
@example(127, 128)
@example(2**255, 2**248 - 1)
def test_signature_has_two_numbers_of_32_bytes(r: int, s: int) -> None:
    assert jws_signature(encode_dss_signature(r, s)) == r.to_bytes(32) + s.to_bytes(32)


@pytest.mark.parametrize(
    "key", [ec.generate_private_key(ec.SECP384R1()).public_key(), ed25519.Ed25519PrivateKey.generate().public_key()]
)
def test_key_of_another_kind_is_refused(key: ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey) -> None:
    with pytest.raises(ValueError, match="the key one is not an elliptic curve key on P-256"):
        parse_public_key("one", der(key))
