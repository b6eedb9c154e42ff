"""Findings of `satchel lint`. Each names a problem in a tool's output, the violated clause, the place and the fix."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """Severity of a finding, worst first.

    ``error``: the output breaks the contract, so Satchel rejects, loses or misreads a part. ``warning``: the output
    works, but has a weakness. ``note``: the output is correct, but there is a better or newer way.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Finding:
    """One problem in a tool's output. ``where`` is its JSON path, which may lead into a string that contains JSON."""

    clause: str
    spec: str
    severity: Severity
    where: str
    message: str
    suggestion: str


@dataclass(frozen=True)
class Clause:
    """A clause of the contract, such as ``v2.1:artifacts:mime-required``. ``spec`` names its document and section."""

    id: str
    spec: str

    def error(self, where: str, message: str, suggestion: str) -> Finding:
        """Return a finding for this clause with severity ``error``."""
        return Finding(self.id, self.spec, Severity.ERROR, where, message, suggestion)

    def warning(self, where: str, message: str, suggestion: str) -> Finding:
        """Return a finding for this clause with severity ``warning``."""
        return Finding(self.id, self.spec, Severity.WARNING, where, message, suggestion)

    def note(self, where: str, message: str, suggestion: str) -> Finding:
        """Return a finding for this clause with severity ``note``."""
        return Finding(self.id, self.spec, Severity.NOTE, where, message, suggestion)


def quoted(value: object, max_chars: int = 80) -> str:
    """Return the value's ``repr`` (one line without control characters), cut to about ``max_chars`` characters."""
    shown = repr(value[:max_chars] if isinstance(value, str) else value)
    is_cut = isinstance(value, str) and len(value) > max_chars
    return f"{shown[:max_chars]}…" if is_cut or len(shown) > max_chars + 2 else shown
