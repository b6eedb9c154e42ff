"""The model catalog, and the errors of model requests."""

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from satchel.domain import llm
from satchel.domain.errors import UnknownModel
from satchel.domain.llm import ModelCatalog, ModelEntry, ModelError, ModelThrottled, find_model_error

SMALL = ModelEntry(name="quick", model="openai-chat:small")
LARGE = ModelEntry(name="careful", model="bedrock:large", groups=("admins",))
OFFLINE = ModelEntry(name="offline", model="offline")


def test_catalog_without_entries_has_one_model_for_all_users() -> None:
    assert ModelCatalog("bedrock:large").all == [ModelEntry(name="bedrock:large", model="bedrock:large")]
    assert ModelCatalog().choose([], None) == OFFLINE


def test_default_model_comes_first_and_need_not_be_configured() -> None:
    assert ModelCatalog("careful", (SMALL, LARGE)).all == [LARGE, SMALL]
    assert ModelCatalog("offline", (SMALL, LARGE)).all == [OFFLINE, SMALL, LARGE]


def test_user_without_access_to_the_default_gets_the_first_visible_model() -> None:
    models = ModelCatalog("careful", (LARGE, SMALL))
    assert models.choose({"users"}, None) == SMALL
    assert models.choose({"admins"}, None) == LARGE


@pytest.mark.parametrize("name", ["careful", "nonesuch", ""])
def test_invisible_or_unknown_model_is_rejected_with_the_visible_ones(name: str) -> None:
    with pytest.raises(UnknownModel) as rejected:
        ModelCatalog("quick", (SMALL, LARGE)).choose({"users"}, name)
    assert rejected.value.details == {"model": name, "models": ["quick"]}


def test_user_without_any_visible_model_gets_an_error() -> None:
    with pytest.raises(UnknownModel, match="No model is available to you"):
        ModelCatalog("careful", (LARGE,)).choose({"users"}, None)


def test_removed_model_of_a_turn_is_replaced_by_the_default() -> None:
    assert ModelCatalog("quick", (SMALL,)).get("careful") == SMALL


def test_duplicate_model_name_is_rejected() -> None:
    with pytest.raises(ValueError, match="the same name"):
        ModelCatalog("quick", (SMALL, SMALL))


@pytest.mark.parametrize("wrong", [{"name": ""}, {"model": ""}, {"context_tokens": 1}, {"group": "users"}])
def test_invalid_entry_is_rejected(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ModelEntry.model_validate({"name": "a", "model": "b"} | wrong)


ERRORS = ModelError.__subclasses__()


def test_module_docstring_shows_every_error_with_its_code() -> None:
    tree = llm.__doc__ or ""
    assert [error for error in ERRORS if f"{error.__name__} " not in tree or error.code not in tree] == []


def test_each_error_has_a_unique_code_and_message() -> None:
    codes, messages = {error.code for error in ERRORS}, {error.user_message for error in ERRORS}
    assert len(codes) == len(messages) == len(ERRORS)
    assert all(code.startswith("E_") for code in codes)


def test_error_text_contains_nothing_from_the_provider() -> None:
    assert str(ModelThrottled("429 secret", retry_after=3.0)) == ModelThrottled.user_message


def test_error_is_found_by_its_class_name() -> None:
    assert find_model_error("ModelThrottled") is ModelThrottled
    assert find_model_error("KeyError") is None


def test_models_page_lists_each_code_and_if_it_is_retried() -> None:
    page = (Path(__file__).parents[3] / "docs/models.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(E_\w+)` \| .* \| (.*) \|$", page, re.MULTILINE))
    assert {code: retried != "no" for code, retried in rows.items()} == {
        error.code: error.retryable for error in ERRORS
    }
