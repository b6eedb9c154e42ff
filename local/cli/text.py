"""Text of models, tools and file names, made fit for a terminal."""

import unicodedata

_KEPT = {"\n", "\t"}


def plain(text: str) -> str:
    """Replace control and direction characters: what a tool returned must not move the cursor or rewrite the screen."""
    return "".join(char if char in _KEPT or not _acts(char) else "\N{REPLACEMENT CHARACTER}" for char in text)


def one_line(text: str) -> str:
    """Return it plain, with every run of white space as one space."""
    return " ".join(plain(text).split())


def _acts(char: str) -> bool:
    return unicodedata.category(char) == "Cc" or unicodedata.bidirectional(char) in _DIRECTIONS


_DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
