"""The blocks of commands in a Markdown document."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"^(?:#+ (?P<heading>[^\n]+)|```(?P<language>\w*)\n(?P<commands>.*?)\n```)$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Block:
    """A block of commands: its number in the document, counted from 1, and the heading above it."""

    number: int
    heading: str
    commands: str

    def __str__(self) -> str:
        return f"{self.number}: {self.heading}"


def blocks(document: Path) -> list[Block]:
    """Return all blocks without a language, in order. In this project, blocks with a language are files or output."""
    return list(_blocks(document.read_text(encoding="utf-8")))


def _blocks(text: str) -> Iterator[Block]:
    heading, number = "", 0
    for found in _BLOCK.finditer(text):
        if found["heading"]:
            heading = found["heading"]
        elif not found["language"]:
            number += 1
            yield Block(number, heading, found["commands"])
