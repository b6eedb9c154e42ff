"""What a rule says: one fault, by clause of the specifications, place, and what to do about it."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad it is, worst first.

    ``error``: the contract is broken, and something is refused, lost or not understood. ``warning``: it works, but not
    well. ``note``: nothing is wrong; there is a better way, or a later one.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Finding:
    """One fault. ``where`` is a JSON path in what was read; it goes on into a text that holds JSON itself."""

    clause: str
    spec: str
    severity: Severity
    where: str
    message: str
    suggestion: str


@dataclass(frozen=True)
class Clause:
    """A clause of the contract: its ``id`` (``v2.1:artifacts:mime-required``) and where it stands (``3 §6.1``)."""

    id: str
    spec: str

    def error(self, where: str, message: str, suggestion: str) -> Finding:
        """Say that the clause is broken."""
        return Finding(self.id, self.spec, Severity.ERROR, where, message, suggestion)

    def warning(self, where: str, message: str, suggestion: str) -> Finding:
        """Say that the clause is kept badly."""
        return Finding(self.id, self.spec, Severity.WARNING, where, message, suggestion)

    def note(self, where: str, message: str, suggestion: str) -> Finding:
        """Say something that a tool's author may want to know."""
        return Finding(self.id, self.spec, Severity.NOTE, where, message, suggestion)


def quoted(text: object, most: int = 80) -> str:
    """Quote what a tool wrote: on one line, without control characters, and not all of it where it is long."""
    shown = repr(text[:most] if isinstance(text, str) else text)
    return shown if len(shown) <= most + 2 and not (isinstance(text, str) and len(text) > most) else f"{shown[:most]}…"
