"""Make text that comes from models, tools and file names safe to print on a terminal."""

import unicodedata

_WHITE_SPACE = {"\n", "\t"}
_DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def sanitize(text: str) -> str:
    """Replace control and direction characters, so that a tool's output cannot move the cursor or clear the screen."""
    return "".join("\N{REPLACEMENT CHARACTER}" if _is_control(char) else char for char in text)


def one_line(text: str) -> str:
    """Return the sanitized text as one line: each run of white space becomes one space."""
    return " ".join(sanitize(text).split())


def _is_control(char: str) -> bool:
    if char in _WHITE_SPACE:
        return False
    return unicodedata.category(char) == "Cc" or unicodedata.bidirectional(char) in _DIRECTIONS
