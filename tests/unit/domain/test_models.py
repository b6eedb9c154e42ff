"""Which models there are, and who may choose them."""

import pytest
from pydantic import ValidationError

from satchel.domain.errors import UnknownModel
from satchel.domain.llm import ModelCatalog, ModelEntry

QUICK = ModelEntry(name="quick", model="openai-chat:small")
CAREFUL = ModelEntry(name="careful", model="bedrock:large", groups=("admins",))
OFFLINE = ModelEntry(name="offline", model="offline")


def test_without_a_list_there_is_one_model_for_everybody() -> None:
    assert ModelCatalog("bedrock:large").all == [ModelEntry(name="bedrock:large", model="bedrock:large")]
    assert ModelCatalog().choose([], None) == OFFLINE


def test_the_default_is_one_of_the_list_or_a_model_itself_and_comes_first() -> None:
    assert ModelCatalog("careful", (QUICK, CAREFUL)).all == [CAREFUL, QUICK]
    assert ModelCatalog("offline", (QUICK, CAREFUL)).all == [OFFLINE, QUICK, CAREFUL]


def test_who_may_not_choose_the_default_has_the_first_that_he_may() -> None:
    models = ModelCatalog("careful", (CAREFUL, QUICK))
    assert models.choose({"users"}, None) == QUICK
    assert models.choose({"admins"}, None) == CAREFUL


@pytest.mark.parametrize("name", ["careful", "nonesuch", ""])
def test_one_that_is_not_there_for_somebody_is_refused_with_those_that_are(name: str) -> None:
    with pytest.raises(UnknownModel) as refused:
        ModelCatalog("quick", (QUICK, CAREFUL)).choose({"users"}, name)
    assert refused.value.details == {"model": name, "models": ["quick"]}


def test_where_there_is_none_for_somebody_that_is_said() -> None:
    with pytest.raises(UnknownModel, match="There is none for you"):
        ModelCatalog("careful", (CAREFUL,)).choose({"users"}, None)


def test_a_turn_whose_model_was_taken_away_meanwhile_has_the_default() -> None:
    assert ModelCatalog("quick", (QUICK,)).get("careful") == QUICK


def test_a_name_is_one_models() -> None:
    with pytest.raises(ValueError, match="the same name"):
        ModelCatalog("quick", (QUICK, QUICK))


@pytest.mark.parametrize("wrong", [{"name": ""}, {"model": ""}, {"context_tokens": 1}, {"group": "users"}])
def test_an_entry_is_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ModelEntry.model_validate({"name": "a", "model": "b"} | wrong)
