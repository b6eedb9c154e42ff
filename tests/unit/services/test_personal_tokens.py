"""Personal tokens: made, listed, checked and revoked, and repeated requests while others change the token."""

from datetime import datetime, timedelta

import pytest

from satchel.domain.errors import RequestRunning, TokenNotFound, TokenUsed, TooManyTokens, Unavailable
from satchel.domain.ids import IdBody, TokenId
from satchel.domain.personal_tokens import MAX_TOKENS, PersonalToken, digest_of, parse_token
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World

DAY = 86_400
BODY = IdBody("0" * 26)


def test_token_has_the_groups_of_its_user_and_only_the_hash_of_its_secret(world: World) -> None:
    now = world.clock.now()

    token, text = world.use_cases.personal_tokens.create(BOB, "program", 90)

    parts = parse_token(text)
    assert parts is not None
    assert token == PersonalToken(
        token_id=parts.token_id,
        user=BOB.name,
        groups=BOB.groups,
        name="program",
        digest=digest_of(parts.secret),
        created_at=now,
        expires_at=now + timedelta(days=90),
    )
    assert (parts.user, len(parts.secret)) == (BOB.name, 43)
    assert world.personal_tokens.get(BOB.name, token.token_id) == token
    assert world.use_cases.personal_tokens.check(text) == BOB


def test_tokens_made_at_the_same_time_have_different_ids_and_secrets(world: World) -> None:
    (first, _), (second, _) = (world.use_cases.personal_tokens.create(ALICE, "program", 1) for _ in range(2))
    assert first.token_id != second.token_id
    assert first.digest != second.digest


def test_user_has_at_most_twenty_valid_tokens(world: World) -> None:
    access = world.use_cases.personal_tokens
    for _ in range(MAX_TOKENS):
        access.create(ALICE, "program", 1)
    with pytest.raises(TooManyTokens):
        access.create(ALICE, "program", 1)
    access.create(BOB, "program", 1)


def test_valid_tokens_of_the_user_are_listed_newest_first(world: World) -> None:
    access = world.use_cases.personal_tokens
    access.create(BOB, "of Bob", 9)
    for name, days in (("a day", 1), ("two days", 2), ("three days", 3)):
        access.create(ALICE, name, days)
    world.clock.advance(DAY - 1)
    assert [token.name for token in access.list(ALICE)] == ["three days", "two days", "a day"]

    world.clock.advance(1)

    assert [token.name for token in access.list(ALICE)] == ["three days", "two days"]


def test_revoked_token_stops_working_and_no_other_does(world: World) -> None:
    access = world.use_cases.personal_tokens
    (revoked, revoked_text), (_, text) = (access.create(ALICE, "program", 1) for _ in range(2))
    access.revoke(BOB, revoked.token_id)
    assert access.check(revoked_text) == ALICE

    access.revoke(ALICE, revoked.token_id)

    assert (access.check(revoked_text), access.check(text)) == (None, ALICE)


def test_token_works_until_it_expires(world: World) -> None:
    access = world.use_cases.personal_tokens
    _, text = access.create(ALICE, "program", 1)
    world.clock.advance(DAY - 1)
    assert access.check(text) == ALICE
    world.clock.advance(1)
    assert access.check(text) is None


def test_text_that_is_no_token_is_wrong(world: World) -> None:
    access = world.use_cases.personal_tokens
    _, text = access.create(ALICE, "program", 1)
    assert [access.check(each) for each in ("satchel_x", "", f"{text}A", text[:-1])] == [None] * 4


def test_last_use_is_stored_at_most_every_five_minutes(world: World) -> None:
    access = world.use_cases.personal_tokens
    token, text = access.create(ALICE, "program", 1)

    def use_after(seconds: int) -> datetime | None:
        world.clock.advance(seconds)
        assert access.check(text) == ALICE
        stored = world.personal_tokens.get(ALICE.name, token.token_id)
        assert stored is not None
        return stored.last_used_at

    first = use_after(10)
    assert first == world.clock.now()
    assert use_after(299) == first
    assert use_after(1) == world.clock.now()


def test_token_works_although_its_use_cannot_be_stored(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise Unavailable("The table does not answer.")

    access = world.use_cases.personal_tokens
    _, text = access.create(ALICE, "program", 1)
    monkeypatch.setattr(world.personal_tokens, "mark_used", fail)
    assert access.check(text) == ALICE


# Repeated requests


def test_repeated_request_returns_its_token_with_another_secret(world: World) -> None:
    access = world.use_cases.personal_tokens
    first, first_text = access.create(ALICE, "program", 1, BODY)
    world.clock.advance(5)
    second, text = access.create(ALICE, "program", 1, BODY)

    assert first.token_id == f"p{BODY}"
    assert second == first.model_copy(update={"digest": second.digest})
    assert (access.check(first_text), access.check(text)) == (None, ALICE)
    assert len(access.list(ALICE)) == 1


def test_token_keeps_its_id_and_times_and_gets_another_secret(world: World) -> None:
    access = world.use_cases.personal_tokens
    first, first_text = access.create(ALICE, "program", 90)
    world.clock.advance(5)

    second, text = access.again(ALICE, first.token_id)

    assert second == first.model_copy(update={"digest": second.digest})
    assert (access.check(first_text), access.check(text)) == (None, ALICE)


def test_token_that_is_used_between_read_and_write_is_not_replaced(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    access = world.use_cases.personal_tokens
    token, text = access.create(ALICE, "program", 90)
    replace = access.store.replace

    def use_first(old: PersonalToken, new: PersonalToken) -> None:
        assert access.check(text) == ALICE
        replace(old, new)

    with monkeypatch.context() as patch:
        patch.setattr(access.store, "replace", use_first)
        with pytest.raises(RequestRunning):
            access.again(ALICE, token.token_id)
    with pytest.raises(TokenUsed) as raised:
        access.again(ALICE, token.token_id)
    assert raised.value.details == {"token_id": token.token_id}
    assert access.check(text) == ALICE


def test_expired_foreign_and_missing_tokens_are_not_found(world: World) -> None:
    access = world.use_cases.personal_tokens
    token, _ = access.create(ALICE, "program", 1)
    for who, token_id in ((BOB, token.token_id), (ALICE, TokenId("p" + 26 * "0"))):
        with pytest.raises(TokenNotFound) as raised:
            access.again(who, token_id)
        assert raised.value.details == {"token_id": token_id}
    world.clock.advance(DAY)
    with pytest.raises(TokenNotFound):
        access.again(ALICE, token.token_id)
