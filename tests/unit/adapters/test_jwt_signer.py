import base64
import json
from collections.abc import Mapping

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from satchel.adapters.jwt_signer import JwtSigner
from satchel.adapters.signing_keys import SigningKeys
from satchel.domain.links import CanvasClaims, Claims, EraseClaims
from tests.unit.adapters.clock import NOON, TravelClock

DEEP = b'{"a":' * 600
OLD, NEW, OTHER = "o" * 40, "n" * 40, "x" * 40
CLAIMS = Claims(
    file_key="f01kabcdefghjkmnpqrstvwxyz0",
    version=2,
    owner="ada@example.com",
    session_id="s01kabcdefghjkmnpqrstvwxyz0",
    epoch=1,
    audience="ui",
    exp=int(NOON.timestamp()) + 300,
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
def clock() -> TravelClock:
    return TravelClock()


@pytest.fixture
def signer(clock: TravelClock) -> JwtSigner:
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


def test_what_was_signed_is_read(signer: JwtSigner) -> None:
    assert signer.read(signer.sign(CLAIMS), ("ui",)) == CLAIMS


def test_a_token_says_what_it_must_and_nothing_else(signer: JwtSigner) -> None:
    token = signer.sign(CLAIMS)

    assert jwt.get_unverified_header(token) == {"alg": "HS256", "typ": "JWT", "kid": "new"}
    assert jwt.decode(token, options={"verify_signature": False}) == PAYLOAD


def test_a_file_of_no_session_has_a_capability_too(signer: JwtSigner) -> None:
    claims = CLAIMS.model_copy(update={"session_id": "", "epoch": 0})

    assert signer.read(signer.sign(claims), ("ui",)) == claims


def test_the_forger_of_these_tests_can_make_a_good_token(signer: JwtSigner) -> None:
    assert signer.read(forge(PAYLOAD), ("ui",)) == CLAIMS


class TestOfADashboard:
    CLAIMS = CanvasClaims(
        canvas_id="monitor-42", owner=CLAIMS.owner, session_id=CLAIMS.session_id, epoch=3, exp=CLAIMS.exp
    )

    def test_it_says_what_it_must_and_nothing_else(self, signer: JwtSigner) -> None:
        token = signer.sign(self.CLAIMS)

        assert jwt.get_unverified_header(token) == {"alg": "HS256", "typ": "JWT", "kid": "new"}
        assert jwt.decode(token, NEW, algorithms=["HS256"], audience="canvas", options={"verify_exp": False}) == {
            "sub": CLAIMS.owner,
            "cnv": "monitor-42",
            "sid": CLAIMS.session_id,
            "epo": 3,
            "aud": "canvas",
            "exp": CLAIMS.exp,
        }

    def test_it_is_none_of_a_file(self, signer: JwtSigner) -> None:
        assert signer.read(signer.sign(self.CLAIMS), ("ui", "tool")) is None

    def test_it_does_not_become_one_by_naming_a_file(self, signer: JwtSigner) -> None:
        assert signer.read(forge(PAYLOAD | {"aud": "canvas", "cnv": "monitor-42"}), ("ui", "tool")) is None


class TestOfAnErasure:
    CLAIMS = EraseClaims(owner=CLAIMS.owner, exp=CLAIMS.exp)

    def test_it_says_who_and_until_when(self, signer: JwtSigner) -> None:
        token = signer.sign(self.CLAIMS)

        assert jwt.decode(token, options={"verify_signature": False}) == {
            "sub": CLAIMS.owner,
            "aud": "erase",
            "exp": CLAIMS.exp,
        }
        assert signer.read_confirmation(token) == self.CLAIMS

    def test_it_ends_with_its_second_by_our_clock(self, signer: JwtSigner, clock: TravelClock) -> None:
        token = signer.sign(self.CLAIMS)

        clock.advance(300)

        assert signer.read_confirmation(token) is None

    def test_it_is_none_of_a_file_and_none_of_a_file_is_it(self, signer: JwtSigner) -> None:
        assert signer.read(signer.sign(self.CLAIMS), ("ui", "tool")) is None
        assert signer.read_confirmation(signer.sign(CLAIMS)) is None

    @pytest.mark.parametrize("wrong", [{"aud": "ui"}, {"sub": "../x"}, {"sub": None}, {"exp": None}, {"exp": "soon"}])
    def test_of_another_form_it_is_refused(self, signer: JwtSigner, wrong: dict[str, object]) -> None:
        payload = {"sub": CLAIMS.owner, "aud": "erase", "exp": CLAIMS.exp}

        assert signer.read_confirmation(forge(payload)) == self.CLAIMS
        assert signer.read_confirmation(forge(payload | wrong)) is None
        assert signer.read_confirmation(forge(payload, OTHER)) is None


class TestKeys:
    def test_of_before_are_still_read(self, signer: JwtSigner) -> None:
        assert signer.read(forge(PAYLOAD, OLD, kid="old"), ("ui",)) == CLAIMS

    def test_are_loaded_each_time_so_that_a_change_is_noticed(self, clock: TravelClock) -> None:
        ring = SigningKeys(newest="old", keys={"old": OLD})
        signer = JwtSigner(lambda: ring, clock)
        token = signer.sign(CLAIMS)

        ring = SigningKeys(newest="new", keys={"old": OLD, "new": NEW})
        assert signer.read(token, ("ui",)) == CLAIMS
        assert jwt.get_unverified_header(signer.sign(CLAIMS))["kid"] == "new"

        ring = SigningKeys(newest="new", keys={"new": NEW})
        assert signer.read(token, ("ui",)) is None

    @pytest.mark.parametrize(
        ("key", "kid"),
        [(OTHER, "new"), (OLD, "new"), (NEW, "old"), (NEW, "unknown"), (NEW, None), (NEW, ""), (OTHER, "../new")],
    )
    def test_that_do_not_fit_are_refused(self, signer: JwtSigner, key: str, kid: str | None) -> None:
        assert signer.read(forge(PAYLOAD, key, kid=kid), ("ui",)) is None


class TestAlgorithms:
    def test_none_is_refused(self, signer: JwtSigner) -> None:
        head = segment({"alg": "none", "typ": "JWT", "kid": "new"})

        assert signer.read(f"{head}.{segment(PAYLOAD)}.", ("ui",)) is None

    @pytest.mark.parametrize("algorithm", ["HS384", "HS512"])
    def test_other_than_ours_are_refused_even_with_our_key(self, signer: JwtSigner, algorithm: str) -> None:
        assert signer.read(forge(PAYLOAD, NEW * 2, algorithm), ("ui",)) is None

    def test_of_public_keys_are_refused(self, signer: JwtSigner) -> None:
        private = rsa.generate_private_key(public_exponent=65537, key_size=2048)

        assert signer.read(forge(PAYLOAD, private, "RS256"), ("ui",)) is None


class TestClaims:
    @pytest.mark.parametrize("name", PAYLOAD)
    def test_are_all_required(self, signer: JwtSigner, name: str) -> None:
        assert signer.read(forge({key: value for key, value in PAYLOAD.items() if key != name}), ("ui",)) is None

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
    def test_of_another_form_are_refused(self, signer: JwtSigner, wrong: dict[str, object]) -> None:
        assert signer.read(forge(PAYLOAD | wrong), ("ui", "tool")) is None

    def test_for_another_audience_are_refused(self, signer: JwtSigner) -> None:
        token = signer.sign(CLAIMS.model_copy(update={"audience": "tool"}))

        assert signer.read(token, ("ui",)) is None
        assert signer.read(token, ("ui", "tool")) is not None

    def test_end_with_their_second_by_our_clock(self, signer: JwtSigner, clock: TravelClock) -> None:
        token = signer.sign(CLAIMS)

        clock.advance(299.9)
        assert signer.read(token, ("ui",)) == CLAIMS
        clock.advance(0.1)
        assert signer.read(token, ("ui",)) is None


def changed(token: str, place: int) -> str:
    parts = token.split(".")
    text = parts[place]
    middle = len(text) // 2
    parts[place] = text[:middle] + ("A" if text[middle] != "A" else "B") + text[middle + 1 :]
    return ".".join(parts)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_token_in_which_anything_was_changed_is_refused(signer: JwtSigner, place: int) -> None:
    assert signer.read(changed(signer.sign(CLAIMS), place), ("ui",)) is None


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
def test_what_is_no_token_at_all_is_refused_in_the_same_way(signer: JwtSigner, token: str) -> None:
    assert signer.read(token, ("ui",)) is None
