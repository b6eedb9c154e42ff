"""Titles of conversations by a model."""

import pytest

from satchel.domain.chat_title import MAX_TITLE_CHARS, clean_title, is_first_line


@pytest.mark.parametrize(
    ("reply", "title"),
    [
        ("Sales in August", "Sales in August"),
        ('"Sales in August."', "Sales in August"),
        ("\n**Title: Sales**\n\nHere it is.", "Sales"),
        ("“Umsätze”", "Umsätze"),
        ("  \n ", ""),
        ("word " * 30, ("word " * 30)[: MAX_TITLE_CHARS - 1].rstrip() + "…"),
    ],
)
def test_reply_becomes_one_line_without_decoration(reply: str, title: str) -> None:
    assert clean_title(reply) == title


@pytest.mark.parametrize(
    ("title", "is_default"),
    [(None, True), ("", True), ("Compare the", True), ("Compare…", True), ("Report", False), ("Two", False)],
)
def test_title_is_of_the_user_unless_it_begins_the_first_line(title: str | None, is_default: bool) -> None:  # noqa: FBT001
    assert is_first_line(title, "\n Compare the sales\nTwo lines") is is_default
