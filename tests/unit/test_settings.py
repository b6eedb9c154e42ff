"""What is set from outside is read in every form that is usual, and what is wrong is named."""

import pytest
from pydantic import ValidationError

from satchel.domain.timing import Limits
from satchel.settings import CanvasSettings, ModelSettings, StorageSettings, TimingSettings


def origins(monkeypatch: pytest.MonkeyPatch, text: str) -> tuple[str, ...]:
    monkeypatch.setenv("SATCHEL_CANVAS_ORIGINS", text)
    return CanvasSettings().canvas_origins


def test_no_dashboards_are_shown_unless_their_origins_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SATCHEL_CANVAS_ORIGINS", raising=False)
    assert CanvasSettings().canvas_origins == ()


@pytest.mark.parametrize(
    "text",
    [
        "https://dash.example,http://localhost:9000",
        " https://Dash.example:443/ , http://localhost:9000, ",
        '["https://dash.example", "http://localhost:9000"]',
        ' ["https://dash.example/", "http://localhost:9000"]',
    ],
)
def test_origins_are_listed_with_commas_or_as_json(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    assert origins(monkeypatch, text) == ("https://dash.example", "http://localhost:9000")


@pytest.mark.parametrize("text", ["", " ", ",", "[]"])
def test_an_empty_list_lists_nothing(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    assert origins(monkeypatch, text) == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("https://dash.example,dash.example", "'dash.example' is no origin: write https://host"),
        ("https://*.dash.example", "'https://.*' is no origin"),
        ("https://dash.example/view", "'https://dash.example/view' is no origin"),
        ("*", "is no origin"),
        ('["https://dash.example"', "canvas_origins"),
        ("[5]", "canvas_origins.0"),
    ],
)
def test_what_is_no_origin_is_named(monkeypatch: pytest.MonkeyPatch, text: str, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        origins(monkeypatch, text)


def test_the_times_of_a_tool_are_those_of_the_specification_unless_they_are_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("SILENCE", "NOTICE", "MAX"):
        monkeypatch.delenv(f"SATCHEL_TOOL_{name}_SECONDS", raising=False)
    assert TimingSettings().limits == Limits(silence=30, notices=None, max_seconds=840)

    monkeypatch.setenv("SATCHEL_TOOL_SILENCE_SECONDS", "60")
    monkeypatch.setenv("SATCHEL_TOOL_NOTICE_SECONDS", "20, 40, 55.5")
    monkeypatch.setenv("SATCHEL_TOOL_MAX_SECONDS", "600")
    assert TimingSettings().limits == Limits(silence=60, notices=(20, 40, 55.5), most=600)


def test_what_is_missing_is_named_and_what_is_given_in_the_code_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_TABLE", "records")
    monkeypatch.delenv("SATCHEL_BUCKET", raising=False)

    with pytest.raises(ValidationError, match=r"bucket\n.*required"):
        StorageSettings()
    assert StorageSettings(bucket="files") == StorageSettings(table="records", bucket="files")


def test_models_are_listed_as_json_and_the_first_is_the_default_unless_one_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SATCHEL_MODEL", raising=False)
    monkeypatch.delenv("SATCHEL_MODELS", raising=False)
    assert [entry.model for entry in ModelSettings().choice.all] == ["offline"]

    entries = '[{"name": "quick", "model": "openai-chat:small"}, {"name": "slow", "model": "bedrock:large"}]'
    monkeypatch.setenv("SATCHEL_MODELS", entries)
    assert [entry.model for entry in ModelSettings().choice.all] == ["openai-chat:small", "bedrock:large"]

    monkeypatch.setenv("SATCHEL_MODEL", "slow")
    assert [entry.model for entry in ModelSettings().choice.all] == ["bedrock:large", "openai-chat:small"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[", "models"),
        ('[{"name": "a"}]', "models.0.model"),
        ('[{"name": "a", "model": "b", "group": "c"}]', "models.0.group"),
        ('[{"name": "a", "model": "b"}, {"name": "a", "model": "c"}]', "two models have the same name"),
    ],
)
def test_what_is_wrong_with_a_list_of_models_is_named(monkeypatch: pytest.MonkeyPatch, text: str, said: str) -> None:
    monkeypatch.setenv("SATCHEL_MODELS", text)
    with pytest.raises(ValidationError, match=said):
        ModelSettings()
