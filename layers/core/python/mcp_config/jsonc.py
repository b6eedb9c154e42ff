"""Parses JSON that may contain comments and trailing commas, as in the configuration files of editors.

The JSON parsers of PyPI that accept comments accept far more (unquoted names, single quotes), and would be a dependency
of every function. So this module blanks what JSON lacks, and the standard parser does the rest. All other characters
keep their positions, so errors name the right line.
"""

import json
import re
from typing import Any

_STRING = r'("(?:[^"\\\n]|\\.)*")'
_COMMENT = re.compile(_STRING + r"|//[^\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING_COMMA = re.compile(_STRING + r"|,(?=\s*[\]}])", re.DOTALL)
_NOT_NEWLINE = re.compile(r"[^\n]")


def parse(text: str) -> Any:  # noqa: ANN401  (any JSON value)
    """Return the value of a JSON text with comments. Raise ValueError, with line and column, if it is invalid."""
    return json.loads(blank(text))


def blank(text: str) -> str:
    """Return the text with spaces in place of comments and trailing commas."""
    return _TRAILING_COMMA.sub(_blank, blank_comments(text))


def blank_comments(text: str) -> str:
    """Return the text with spaces in place of comments."""
    return _COMMENT.sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    return match[1] or _NOT_NEWLINE.sub(" ", match[0])
