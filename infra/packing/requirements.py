"""Files of pinned requirements, read as far as layers need it."""

import re
from pathlib import Path

Pins = frozenset[str]
"""Entries of such a file, each whole: name, version, marker and hashes."""

_ENTRY = re.compile(r"^(?=[A-Za-z0-9])", re.MULTILINE)
_PINNED = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[[^\]]*\])?==\S")


class UnpinnedError(ValueError):
    """A requirement leaves open what is installed, so a layer made of it would not be the same tomorrow."""


def read_pins(path: Path) -> Pins:
    """Return what a file pins. Raises UnpinnedError, OSError."""
    text = "".join(line for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if line[:1] != "#")
    entries = [entry for entry in _ENTRY.split(text) if entry.strip()]
    if loose := [entry.split()[0] for entry in entries if not _PINNED.match(entry) or "--hash=" not in entry]:
        command = f"uv pip compile --universal --generate-hashes {path.with_suffix('.in').name} -o {path.name}"
        raise UnpinnedError(f"{path}: {', '.join(loose)}: no version with hashes; `{command}` writes them")
    return frozenset(f"{entry.rstrip()}\n" for entry in entries)


def beyond(pins: Pins, base: Pins) -> Pins | None:
    """Return what is left to install over ``base``; None where the two do not agree, and all must be installed."""
    more = pins - base
    return more if _names(more).isdisjoint(_names(base)) and base <= pins else None


def _names(pins: Pins) -> set[str]:
    found = (_PINNED.match(entry) for entry in pins)
    return {re.sub(r"[-_.]+", "-", match["name"]).lower() for match in found if match}
