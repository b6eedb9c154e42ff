"""Ranges of numbers as models write them: ``3``, ``3-7`` or ``3-``."""

import re
from dataclasses import dataclass

from .errors import Code, DocumentError

_RANGE = re.compile(r"\s*(?P<first>\d{1,18})\s*(?P<dash>[-\u2013:]\s*(?P<last>\d{1,18})?)?\s*", re.ASCII)


@dataclass(frozen=True)
class Range:
    """The numbers from ``first`` to ``last``. Without ``last``, the range has no end."""

    first: int
    last: int | None = None


def parse_range(argument: str, value: str | int, lowest: int = 1) -> Range:
    """Return the range that a tool's argument names. Raise DocumentError if it is not a range."""
    match = _RANGE.fullmatch(str(value))
    if match is None:
        raise DocumentError(
            Code.BAD_RANGE, f"{argument}={value!r} is not a range; pass for example '{lowest}', '3-7' or '3-'"
        )
    first = int(match["first"])
    last = first if not match["dash"] else int(match["last"]) if match["last"] else None
    if first < lowest or (last is not None and last < first):
        raise DocumentError(Code.BAD_RANGE, f"{argument}={value!r} is empty: numbers begin at {lowest} and ascend")
    return Range(first, last)
