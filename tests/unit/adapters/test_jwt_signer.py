import base64
import json
from collections.abc import Mapping

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from satchel.adapters.jwt_signer import JwtSigner
from satchel.adapters.signing_keys import SigningKeys
from satchel.domain.links import Claims, EraseClaims
from tests.fakes.system import START, FakeClock

DEEP = b'{"a":' * 600
OLD, NEW, OTHER = "o" * 40, "n" * 40, "x" * 40
CLAIMS = Claims(
    file_key="f01kabcdefghjkmnpqrstvwxyz0",
    version=2,
    owner="ada@example.com",
    session_id="s01kabcdefghjkmnpqrstvwxyz0",
    epoch=1,
    audience="ui",
    exp=int(START.timestamp()) + 300,
    link_id="l01kabcdefghjkmnpqrstvwxyz0",
)
PAYLOAD = {
    "sub": CLAIMS.owner,
    "fil": CLAIMS.file_key,
    "ver": CLAIMS.version,
    "sid": CLAIMS.session_id,
    "epo": CLAIMS.epoch,
    "aud": CLAIMS.audience,
    "exp": CLAIMS.exp,
    "jti": CLAIMS.link_id,
}


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def signer(clock: FakeClock) -> JwtSigner:
    return JwtSigner(lambda: SigningKeys(newest="new", keys={"old": OLD, "new": NEW}), clock)


def forge(
    payload: Mapping[str, object],
    key: str | rsa.RSAPrivateKey = NEW,
    algorithm: str = "HS256",
    kid: object = "new",
) -> str:
    headers = {} if kid is None else {"kid": kid}
    return jwt.encode(dict(payload), key, algorithm=algorithm, headers=headers)


def segment(value: object) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def test_signed_token_is_valid(signer: JwtSigner) -> None:
    assert signer.verify(signer.sign(CLAIMS), ("ui",)) == CLAIMS


def test_token_contains_the_claims_and_nothing_else(signer: JwtSigner) -> None:
    token = signer.sign(CLAIMS)

    assert jwt.get_unverified_header(token) == {"alg": "HS256", "typ": "JWT", "kid": "new"}
    assert jwt.decode(token, options={"verify_signature": False}) == PAYLOAD


def test_token_for_a_file_without_a_session_is_valid(signer: JwtSigner) -> None:
    claims = CLAIMS.model_copy(update={"session_id": "", "epoch": 0})

    assert signer.verify(signer.sign(claims), ("ui",)) == claims


def test_forge_can_create_a_valid_token(signer: JwtSigner) -> None:
    assert signer.verify(forge(PAYLOAD), ("ui",)) == CLAIMS


class TestErasureToken:
    CLAIMS = EraseClaims(owner=CLAIMS.owner, exp=CLAIMS.exp)

    def test_contains_user_and_expiry(self, signer: JwtSigner) -> None:
        token = signer.sign(self.CLAIMS)

        assert jwt.decode(token, options={"verify_signature": False}) == {
            "sub": CLAIMS.owner,
            "aud": "erase",
            "exp": CLAIMS.exp,
        }
        assert signer.verify_confirmation(token) == self.CLAIMS

    def test_expires_at_the_second_by_the_clock_port(self, signer: JwtSigner, clock: FakeClock) -> None:
        token = signer.sign(self.CLAIMS)

        clock.advance(300)

        assert signer.verify_confirmation(token) is None

    def test_is_not_interchangeable_with_a_file_token(self, signer: JwtSigner) -> None:
        assert signer.verify(signer.sign(self.CLAIMS), ("ui", "tool")) is None
        assert signer.verify_confirmation(signer.sign(CLAIMS)) is None

    @pytest.mark.parametrize("wrong", [{"aud": "ui"}, {"sub": "../x"}, {"sub": None}, {"exp": None}, {"exp": "soon"}])
    def test_with_invalid_claims_or_key_is_rejected(self, signer: JwtSigner, wrong: dict[str, object]) -> None:
        payload = {"sub": CLAIMS.owner, "aud": "erase", "exp": CLAIMS.exp}

        assert signer.verify_confirmation(forge(payload)) == self.CLAIMS
        assert signer.verify_confirmation(forge(payload | wrong)) is None
        assert signer.verify_confirmation(forge(payload, OTHER)) is None


class TestKeys:
    def test_previous_key_still_verifies(self, signer: JwtSigner) -> None:
        assert signer.verify(forge(PAYLOAD, OLD, kid="old"), ("ui",)) == CLAIMS

    def test_are_loaded_each_time_so_a_rotation_takes_effect(self, clock: FakeClock) -> None:
        keys = SigningKeys(newest="old", keys={"old": OLD})
        signer = JwtSigner(lambda: keys, clock)
        token = signer.sign(CLAIMS)

        keys = SigningKeys(newest="new", keys={"old": OLD, "new": NEW})
        assert signer.verify(token, ("ui",)) == CLAIMS
        assert jwt.get_unverified_header(signer.sign(CLAIMS))["kid"] == "new"

        keys = SigningKeys(newest="new", keys={"new": NEW})
        assert signer.verify(token, ("ui",)) is None

    @pytest.mark.parametrize(
        ("key", "kid"),
        [(OTHER, "new"), (OLD, "new"), (NEW, "old"), (NEW, "unknown"), (NEW, None), (NEW, ""), (OTHER, "../new")],
    )
    def test_wrong_key_or_key_id_is_rejected(self, signer: JwtSigner, key: str, kid: str | None) -> None:
        assert signer.verify(forge(PAYLOAD, key, kid=kid), ("ui",)) is None


class TestAlgorithms:
    def test_algorithm_none_is_rejected(self, signer: JwtSigner) -> None:
        head = segment({"alg": "none", "typ": "JWT", "kid": "new"})

        assert signer.verify(f"{head}.{segment(PAYLOAD)}.", ("ui",)) is None

    @pytest.mark.parametrize("algorithm", ["HS384", "HS512"])
    def test_other_hmac_algorithms_are_rejected_even_with_the_key(self, signer: JwtSigner, algorithm: str) -> None:
        assert signer.verify(forge(PAYLOAD, NEW * 2, algorithm), ("ui",)) is None

    def test_public_key_algorithm_is_rejected(self, signer: JwtSigner) -> None:
        private = rsa.generate_private_key(public_exponent=65537, key_size=2048)

        assert signer.verify(forge(PAYLOAD, private, "RS256"), ("ui",)) is None


class TestClaims:
    @pytest.mark.parametrize("name", PAYLOAD)
    def test_each_claim_is_required(self, signer: JwtSigner, name: str) -> None:
        assert signer.verify(forge({key: value for key, value in PAYLOAD.items() if key != name}), ("ui",)) is None

    @pytest.mark.parametrize(
        "wrong",
        [
            {"fil": "../x"},
            {"ver": "two"},
            {"ver": None},
            {"sub": "../root"},
            {"sub": 5},
            {"epo": []},
            {"aud": "admin"},
            {"aud": ["ui", "tool"]},
            {"exp": "soon"},
            {"exp": None},
        ],
    )
    def test_invalid_values_are_rejected(self, signer: JwtSigner, wrong: dict[str, object]) -> None:
        assert signer.verify(forge(PAYLOAD | wrong), ("ui", "tool")) is None

    def test_other_audience_is_rejected(self, signer: JwtSigner) -> None:
        token = signer.sign(CLAIMS.model_copy(update={"audience": "tool"}))

        assert signer.verify(token, ("ui",)) is None
        assert signer.verify(token, ("ui", "tool")) is not None

    def test_token_expires_at_the_second_by_the_clock_port(self, signer: JwtSigner, clock: FakeClock) -> None:
        token = signer.sign(CLAIMS)

        clock.advance(299.9)
        assert signer.verify(token, ("ui",)) == CLAIMS
        clock.advance(0.1)
        assert signer.verify(token, ("ui",)) is None


def tamper(token: str, index: int) -> str:
    parts = token.split(".")
    text = parts[index]
    middle = len(text) // 2
    parts[index] = text[:middle] + ("A" if text[middle] != "A" else "B") + text[middle + 1 :]
    return ".".join(parts)


@pytest.mark.parametrize("index", [0, 1, 2])
def test_token_with_a_changed_segment_is_rejected(signer: JwtSigner, index: int) -> None:
    assert signer.verify(tamper(signer.sign(CLAIMS), index), ("ui",)) is None


@pytest.mark.parametrize(
    "token",
    [
        "",
        ".",
        "..",
        "a.b.c",
        "ÄÖÜ.ÄÖÜ.ÄÖÜ",
        "\ud800",
        "\x00.\x00.\x00",
        f"{segment([])}.{segment(PAYLOAD)}.x",
        f"{segment(b'{')}.{segment(PAYLOAD)}.x",
        f"{segment(b'[' * 2900)}.{segment(PAYLOAD)}.x",
        f"{segment(DEEP)}.{segment(PAYLOAD)}.x",
        f"{segment({'alg': 'HS256', 'kid': ['new']})}.{segment(PAYLOAD)}.x",
        f"{segment({'alg': 'HS256', 'kid': 'new', 'crit': ['x']})}.{segment(PAYLOAD)}.x",
        f"{segment({'alg': 'HS256', 'kid': 'new', 'b64': False})}..x",
        f"{segment({'alg': ['HS256'], 'kid': 'new'})}.{segment(PAYLOAD)}.x",
        "." * 4000,
    ],
)
def test_malformed_token_is_rejected(signer: JwtSigner, token: str) -> None:
    assert signer.verify(token, ("ui",)) is None
