"""Findings: each names a problem in a tool's output, the violated clause, the place and the remedy."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """Severity of a finding, worst first.

    ``error``: the output breaks the contract; something is refused, lost or not understood. ``warning``: the output
    works, but badly. ``note``: the output is correct, but there is a better or newer way.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Finding:
    """One problem in an output. ``where`` is its JSON path, which may continue into JSON that is stored as text."""

    clause: str
    spec: str
    severity: Severity
    where: str
    message: str
    suggestion: str


@dataclass(frozen=True)
class Clause:
    """A clause of the contract: its ``id`` (``v2.1:artifacts:mime-required``) and its section (``3 §6.1``)."""

    id: str
    spec: str

    def error(self, where: str, message: str, suggestion: str) -> Finding:
        """Return a finding with severity ``error``."""
        return Finding(self.id, self.spec, Severity.ERROR, where, message, suggestion)

    def warning(self, where: str, message: str, suggestion: str) -> Finding:
        """Return a finding with severity ``warning``."""
        return Finding(self.id, self.spec, Severity.WARNING, where, message, suggestion)

    def note(self, where: str, message: str, suggestion: str) -> Finding:
        """Return a finding with severity ``note``."""
        return Finding(self.id, self.spec, Severity.NOTE, where, message, suggestion)


def quoted(value: object, max_chars: int = 80) -> str:
    """Return the value's ``repr``, which is one line without control characters, cut to ``max_chars``."""
    shown = repr(value[:max_chars] if isinstance(value, str) else value)
    is_cut = isinstance(value, str) and len(value) > max_chars
    return f"{shown[:max_chars]}…" if is_cut or len(shown) > max_chars + 2 else shown
