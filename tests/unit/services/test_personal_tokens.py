"""A repeated request for a personal token, while other requests change the token."""

import pytest

from satchel.domain.errors import RequestRunning, TokenNotFound, TokenUsed
from satchel.domain.ids import TokenId
from satchel.domain.personal_tokens import PersonalToken
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World

DAY = 86_400


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
    with pytest.raises(TokenUsed):
        access.again(ALICE, token.token_id)
    assert access.check(text) == ALICE


def test_expired_foreign_and_missing_tokens_are_not_found(world: World) -> None:
    access = world.use_cases.personal_tokens
    token, _ = access.create(ALICE, "program", 1)
    for who, token_id in ((BOB, token.token_id), (ALICE, TokenId("p" + 26 * "0"))):
        with pytest.raises(TokenNotFound):
            access.again(who, token_id)
    world.clock.advance(DAY)
    with pytest.raises(TokenNotFound):
        access.again(ALICE, token.token_id)
