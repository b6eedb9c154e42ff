"""The words of tools and queries that the search compares."""

import pytest

from satchel.domain.search_words import meanings, stem, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the issues of my repositories", ["issu", "repository"]),
        ("arXiv papers", ["ar", "xiv", "arxiv", "paper"]),
        ("create_pull_request", ["creat", "pull", "request"]),
        ("open https://example.com/a?b=1 now", ["open", "url"]),
        ("edit report.docx", ["edit", "report", "docx", "fil", "word", "document"]),
        ("read /data/a.txt", ["read", "fil", "path"]),
        ("she wrote and sent it", ["writ", "send"]),
        ("photo.jpg.", ["photo", "jpg", "fil", "imag"]),
        ("bob@example.com", ["bob", "exampl", "com"]),
        ("cell B4, page 17", ["cell", "b4", "pag"]),
        ("what is in it?", []),
    ],
)
def test_text_is_split_into_stems_that_carry_meaning(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_words_of_the_same_meaning_share_a_group() -> None:
    assert meanings(stem("erase")) == meanings(stem("removing")) == ("delete",)
    assert {"create", "save"} <= set(meanings(stem("write")))
    assert meanings(stem("zebra")) == ()
