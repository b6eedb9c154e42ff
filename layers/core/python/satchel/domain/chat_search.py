"""The words by which users find their conversations, and the part of a text that shows a match. No I/O.

A word of a query finds the words that begin with it, without regard to case and accents. Texts without spaces
(Chinese, Japanese) are indexed by pairs of characters.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

MAX_WORDS = 1_000
"""Maximum number of different words of a turn in the index, about 8 KB. It has the first words of a long text."""

_MAX_WORD_CHARS = 40
_MAX_QUERY_WORDS = 10
_SNIPPET_CHARS = 60
_WORD = re.compile(r"\w+")
_PAIRED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")


def index_words(*texts: str) -> str:
    """Return the different words of the texts, sorted and separated by spaces, for the index."""
    found: dict[str, None] = {}
    for text in texts:
        for word in _words(text):
            found[word] = None
            if len(found) == MAX_WORDS:
                return " ".join(sorted(found))
    return " ".join(sorted(found))


def query_words(query: str) -> list[str]:
    """Return the words of a query; there are none if it has only punctuation."""
    return list(dict.fromkeys(_words(query)))[:_MAX_QUERY_WORDS]


def find_words(words: Sequence[str], indexed: str) -> set[str]:
    """Return those of the query's words with which a word of the index begins."""
    searched = f" {indexed}"
    return {word for word in words if f" {word}" in searched}


def cut_snippet(words: Sequence[str], *texts: str) -> str | None:
    """Return the surroundings of the first match in the texts on one line, or None if there is no match."""
    for text in texts:
        for match in _WORD.finditer(text):
            if find_words(words, " ".join(_words(match.group()))):
                start, end = max(0, match.start() - _SNIPPET_CHARS), match.end() + _SNIPPET_CHARS
                cut = " ".join(text[start:end].split())
                return ("…" if start else "") + cut + ("…" if end < len(text) else "")
    return None


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(_fold(text)):
        paired = _PAIRED.findall(word)
        for run in paired:
            yield from (run[index : index + 2] for index in range(max(1, len(run) - 1)))
        yield from (part[:_MAX_WORD_CHARS] for part in _PAIRED.split(word) if part)


def _fold(text: str) -> str:
    """Return the text without case and accents."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(char for char in parts if not unicodedata.combining(char)))
