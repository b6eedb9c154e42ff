"""Why a model gave no answer."""

import re
from pathlib import Path

from satchel.domain import llm
from satchel.domain.llm import ModelError, ModelThrottled, find_model_error

KINDS = ModelError.__subclasses__()


def test_every_error_is_in_the_tree_that_the_module_shows() -> None:
    shown = llm.__doc__ or ""
    assert [kind for kind in KINDS if f"{kind.__name__} " not in shown or kind.code not in shown] == []


def test_each_has_a_code_and_a_sentence_of_its_own() -> None:
    codes, sentences = {kind.code for kind in KINDS}, {kind.user_message for kind in KINDS}
    assert len(codes) == len(sentences) == len(KINDS)
    assert all(code.startswith("E_") for code in codes)


def test_it_says_its_sentence_and_nothing_of_what_the_provider_said() -> None:
    assert str(ModelThrottled("429 secret", retry_after=3.0)) == ModelThrottled.user_message


def test_it_is_found_by_its_name() -> None:
    assert find_model_error("ModelThrottled") is ModelThrottled
    assert find_model_error("KeyError") is None


def test_the_page_about_models_tells_each_code_and_whether_it_is_tried_again() -> None:
    page = (Path(__file__).parents[3] / "docs/models.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(E_\w+)` \| .* \| (.*) \|$", page, re.MULTILINE))
    assert {code: told != "no" for code, told in rows.items()} == {kind.code: kind.retryable for kind in KINDS}
