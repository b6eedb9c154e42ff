"""The clauses as `clauses/*.toml` lists them.

Where specifications disagree, 3 (v2.1) wins over 2 and 1, and 2 over 1; 4 and 5 add to them. The winning clause is
listed; what it wins over is listed as superseded. What is said alike in several of them is listed once, where it is
said last. Duties of authors that no program can see in an output (to hold back secrets, say) are not listed.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

CLAUSES = Path(__file__).with_name("clauses")


class Kind(StrEnum):
    """What a clause asks, and of whom."""

    PRODUCT = "product"
    """Satchel keeps it."""
    AUTHOR = "author"
    """Tool authors keep it; Satchel tells them, with `satchel lint`, where they do not."""
    NOT_YET = "not_yet"
    """Satchel does not keep it yet; the clause says why."""
    SUPERSEDED = "superseded"
    """A later specification asks otherwise; the clause says which of its clauses wins."""

    @property
    def tested(self) -> bool:
        """Tell whether clauses of this kind must have tests; the others must have none."""
        return self in (Kind.PRODUCT, Kind.AUTHOR)


@dataclass(frozen=True)
class Clause:
    """One clause. ``place`` is where it stands (``3 §11.3``); ``reason`` and ``winner`` as its kind asks."""

    id: str
    place: str
    sentence: str
    kind: Kind
    reason: str | None = None
    winner: str | None = None


@dataclass(frozen=True)
class Specification:
    """One file of clauses. ``version`` is what their ids begin with."""

    number: int
    version: str
    title: str
    clauses: tuple[Clause, ...]


def read_manifest(folder: Path = CLAUSES) -> list[Specification]:
    """Read all files, in the order of the specifications. Raises KeyError or TypeError at one of another form."""
    read = [_specification(tomllib.loads(path.read_text("utf-8"))) for path in folder.glob("*.toml")]
    return sorted(read, key=lambda one: (one.version == "mcp", one.number))


def clauses_of(manifest: list[Specification]) -> list[Clause]:
    """Return the clauses of all specifications."""
    return [clause for specification in manifest for clause in specification.clauses]


def _specification(table: dict[str, Any]) -> Specification:
    return Specification(table["number"], table["version"], table["title"], tuple(_clauses(table)))


def _clauses(table: dict[str, Any]) -> Iterator[Clause]:
    for kind in Kind:
        for section, clauses in table.get(kind, {}).items():
            for name, said in clauses.items():
                fields = {"says": said} if isinstance(said, str) else said
                place = f"{table['number']} {section}"
                yield Clause(name, place, fields["says"], kind, fields.get("reason"), fields.get("by"))
