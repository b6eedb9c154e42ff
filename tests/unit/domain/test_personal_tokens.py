"""The text of personal tokens, their secrets, and when a token is valid."""

from datetime import UTC, datetime, timedelta

import pytest

from satchel.domain import personal_tokens
from satchel.domain.ids import TokenId, UserName
from satchel.domain.personal_tokens import PersonalToken, TokenText, digest_of, new_secret, parse_token
from satchel.domain.users import Identity

NOW = datetime(2026, 1, 2, tzinfo=UTC)
TOKEN_ID = TokenId("p" + "0" * 26)
SECRET = "s" * 20
ADA = "YWRh"  # base64url of ``ada``
TEXT = f"satchel_{ADA}.{TOKEN_ID}.{SECRET}"
TOKEN = PersonalToken(
    token_id=TOKEN_ID,
    user=UserName("ada"),
    groups=frozenset({"users", "admins"}),
    name="program",
    digest=digest_of(SECRET),
    created_at=NOW,
    expires_at=NOW + timedelta(days=1),
)


def test_limits_of_personal_tokens() -> None:
    names = ("SECRET_BYTES", "MAX_TOKENS", "MAX_DAYS", "DEFAULT_DAYS", "USE_PRECISION")
    assert [getattr(personal_tokens, name) for name in names] == [32, 20, 365, 90, timedelta(minutes=5)]


def test_text_names_its_user_token_and_secret() -> None:
    token = TokenText(UserName("ada"), TOKEN_ID, SECRET)
    assert (parse_token(TEXT), str(token)) == (token, TEXT)


@pytest.mark.parametrize("name", [*("a" * length for length in range(1, 65)), "ada+1@example.com", "adW"])
def test_text_round_trips_for_user_names_of_each_length(name: str) -> None:
    token = TokenText(UserName(name), TOKEN_ID, "-_" * 20)
    assert parse_token(str(token)) == token
    assert "=" not in str(token)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "satchel_",
        TEXT[1:],
        TEXT.upper(),
        f" {TEXT}",
        f"{TEXT}\n",
        f"{TEXT}.",
        f"satchel_.{TOKEN_ID}.{SECRET}",
        f"satchel_{ADA}.{TOKEN_ID}.",
        f"satchel_{ADA}.{TOKEN_ID}.{SECRET[1:]}",
        f"satchel_{ADA}.{TOKEN_ID}.{'s' * 101}",
        f"satchel_{ADA}.{TOKEN_ID}.{SECRET}=",
        f"satchel_{ADA}.{TOKEN_ID[1:]}.{SECRET}",
        f"satchel_{ADA}.t{TOKEN_ID[1:]}.{SECRET}",
        f"satchel_{'Y' * 101}.{TOKEN_ID}.{SECRET}",
        f"satchel_YWRhYQ==.{TOKEN_ID}.{SECRET}",
    ],
)
def test_text_of_another_form_is_no_token(text: str) -> None:
    assert parse_token(text) is None


@pytest.mark.parametrize(
    "user",
    [
        "Li4vYWRh",  # ../ada
        "____",  # no UTF-8
        "YWRhY",  # no base64: one character is too many
        "YS9i",  # a/b
        "YWRhCg",  # ada and a line feed
    ],
)
def test_text_without_a_valid_user_name_is_no_token(user: str) -> None:
    assert parse_token(f"satchel_{user}.{TOKEN_ID}.{SECRET}") is None


def test_secret_has_all_random_bytes_in_base64url() -> None:
    assert new_secret(b"\xfb\xef\xff\x00\x00\x17") == "--__AAAX"
    assert new_secret(bytes(32)) == "A" * 43


def test_secret_is_stored_as_its_sha256() -> None:
    assert digest_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.mark.parametrize(("age", "is_valid"), [(0, True), (86_399, True), (86_400, False), (86_401, False)])
def test_token_is_valid_until_it_expires(age: int, *, is_valid: bool) -> None:
    assert TOKEN.is_valid(SECRET, NOW + timedelta(seconds=age)) is is_valid


@pytest.mark.parametrize("secret", ["", SECRET[1:], f"{SECRET}s", digest_of(SECRET)])
def test_token_is_not_valid_with_another_secret(secret: str) -> None:
    assert not TOKEN.is_valid(secret, NOW)


def test_requests_act_as_the_user_with_the_groups_of_the_token() -> None:
    assert TOKEN.identity == Identity(name="ada", groups=frozenset({"users", "admins"}))
