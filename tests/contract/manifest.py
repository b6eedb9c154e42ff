"""Read the clauses from `clauses/*.toml`.

If specifications disagree, 3 (v2.1) takes precedence over 2 and 1, and 2 over 1; 4 and 5 add to them. A clause that
loses is listed as superseded. A clause that several specifications contain is listed once, under the last of them.
Duties of authors that a program cannot check in an output (such as leaving out secrets) are not listed.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

CLAUSES = Path(__file__).with_name("clauses")


class Kind(StrEnum):
    """The party that must fulfill a clause, or why no party must."""

    PRODUCT = "product"
    """Satchel fulfills it."""
    DEVIATION = "deviation"
    """Satchel deliberately behaves differently; the clause gives the reason."""
    AUTHOR = "author"
    """Tool authors fulfill it; `satchel lint` reports violations."""
    SUPERSEDED = "superseded"
    """A later specification replaces it; the clause names its replacement."""

    @property
    def needs_tests(self) -> bool:
        """Return True if clauses of this kind must have tests."""
        return self in (Kind.PRODUCT, Kind.AUTHOR)


@dataclass(frozen=True)
class Clause:
    """One clause. ``section`` is its position (``3 §11.3``).

    ``reason`` is set for clauses of the kind DEVIATION only, ``superseded_by`` for the kind SUPERSEDED only.
    ``unit_reason`` says why tests below the running system are the right place to prove a clause of the kind PRODUCT.
    """

    id: str
    section: str
    sentence: str
    kind: Kind
    reason: str | None = None
    unit_reason: str | None = None
    superseded_by: str | None = None


@dataclass(frozen=True)
class Specification:
    """One file of clauses. ``version`` is the prefix of their ids."""

    number: int
    version: str
    title: str
    clauses: tuple[Clause, ...]


def read_manifest(folder: Path = CLAUSES) -> list[Specification]:
    """Read all files, in the order of the specifications. Raise KeyError or TypeError if a file has another form."""
    specifications = [_specification(tomllib.loads(path.read_text("utf-8"))) for path in folder.glob("*.toml")]
    return sorted(specifications, key=lambda one: (one.version == "mcp", one.number))


def clauses_of(manifest: list[Specification]) -> list[Clause]:
    """Return the clauses of all specifications."""
    return [clause for specification in manifest for clause in specification.clauses]


def _specification(table: dict[str, Any]) -> Specification:
    return Specification(table["number"], table["version"], table["title"], tuple(_clauses(table)))


def _clauses(table: dict[str, Any]) -> Iterator[Clause]:
    for kind in Kind:
        for heading, clauses in table.get(kind, {}).items():
            for clause_id, value in clauses.items():
                fields = {"sentence": value} if isinstance(value, str) else value
                yield Clause(clause_id, f"{table['number']} {heading}", kind=kind, **fields)
