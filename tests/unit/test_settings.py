"""What is set from outside is read in every form that is usual, and what is wrong is named."""

import pytest
from pydantic import ValidationError

from satchel.settings import CanvasSettings


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
