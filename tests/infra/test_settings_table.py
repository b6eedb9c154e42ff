"""The table of what a deployment may choose is that of the settings."""

from infra.settings import Settings
from infra.settings_table import DOCUMENT, page


def test_the_table_is_that_of_today() -> None:
    told = "write it anew: .venv/bin/python -m infra.settings_table"
    assert DOCUMENT.read_text(encoding="utf-8") == page(), told


def test_every_choice_says_what_it_is() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []
