"""The words of conversations, and what a query finds in them."""

import pytest

from satchel.domain.chat_search import MAX_WORDS, cut_snippet, find_words, index_words, query_words


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("quart", "The quarterly report"),
        ("QUARTERLY", "quarterly"),
        ("quarterly report", "report, quarterly"),
        ("uber", "Über uns"),
        ("Über", "uber"),
        ("strasse", "Straße"),
        ("東京", "私は東京都に住んでいます"),
        ("東京都", "私は東京都に住んでいます"),
        ("2026", "in 2026."),
        ("résumé", "resume"),
    ],
)
def test_words_are_found_by_their_beginning_without_case_and_accents(query: str, text: str) -> None:
    words = query_words(query)
    assert words
    assert find_words(words, index_words(text)) == set(words)


@pytest.mark.parametrize(
    ("query", "text"), [("arterly", "quarterly"), ("quarter x", "quarterly"), ("京東", "東京都"), ("a b", "a_b")]
)
def test_other_words_are_not_found(query: str, text: str) -> None:
    words = query_words(query)
    assert find_words(words, index_words(text)) != set(words)


@pytest.mark.parametrize("query", ["", "  ", "!?", "…"])
def test_query_without_words_has_none(query: str) -> None:
    assert query_words(query) == []


def test_index_of_a_long_text_has_its_first_words() -> None:
    text = " ".join(f"w{number}" for number in range(MAX_WORDS + 5))
    assert len(index_words(text, "more").split()) == MAX_WORDS
    assert find_words(["w999"], index_words(text)) == {"w999"}


def test_snippet_shows_the_surroundings_of_the_first_match_on_one_line() -> None:
    text = "x" * 100 + "\n\nThe  **Quarterly** report\n" + "y " * 100
    assert cut_snippet(["quart"], "nothing", text) == (
        "…" + "x" * 51 + " The **Quarterly** report " + " ".join("y" * 25) + "…"
    )
    assert cut_snippet(["report"], "The report") == "The report"
    assert cut_snippet(["missing"], text) is None
