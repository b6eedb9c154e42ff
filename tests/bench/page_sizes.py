"""``python -m tests.bench.page_sizes``: what the web client loads first, and what later, into docs/web.md."""

import gzip
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from local.emulator.http_gateway import BUILT
from tests.e2e.system import ROOT

DOCUMENT = ROOT / "docs" / "web.md"
FIRST = "first load"
_TABLE = re.compile(r"(<!-- sizes -->\n).*?(?=<!-- /sizes -->)", re.DOTALL)
_KB = 1000
_SMALL = 1_000  # bytes, compressed; less is not worth a line

Manifest = dict[str, dict[str, Any]]


class Part(NamedTuple):
    """What is loaded at one time: its name and all its files."""

    name: str
    files: frozenset[Path]

    @property
    def size(self) -> int:
        """Return bytes as they are kept."""
        return sum(path.stat().st_size for path in self.files)

    @property
    def packed(self) -> int:
        """Return bytes as they travel."""
        return sum(len(gzip.compress(path.read_bytes(), mtime=0)) for path in self.files)


def parts(built: Path = BUILT) -> list[Part]:
    """Return the first load, then what comes later where it is wanted, each without what is there by then."""
    manifest: Manifest = json.loads((built / "manifest.json").read_text(encoding="utf-8"))
    entry = next(key for key, chunk in manifest.items() if chunk.get("isEntry"))
    first = frozenset({built / "index.html", *(built / name for name in _needed(manifest, entry))})
    later = [
        Part(_name(key, chunk), frozenset(built / name for name in _needed(manifest, key)) - first)
        for key, chunk in manifest.items()
        if chunk.get("isDynamicEntry")
    ]
    return [Part(FIRST, first), *sorted(later, key=lambda part: part.name.lower())]


def _needed(manifest: Manifest, key: str) -> Iterator[str]:
    seen: set[str] = set()
    left = [key]
    while left:
        if (wanted := left.pop()) in seen:
            continue
        seen.add(wanted)
        chunk = manifest[wanted]
        yield chunk["file"]
        yield from chunk.get("css", [])
        yield from chunk.get("assets", [])
        left += chunk.get("imports", [])


def _name(key: str, chunk: dict[str, Any]) -> str:
    return key.removeprefix("src/").rpartition(".")[0] if key.startswith("src/") else str(chunk.get("name", key))


def table(measured: list[Part]) -> str:
    """Return the parts as a table."""
    lines = [f"| {part.name} | {part.size / _KB:.0f} | {part.packed / _KB:.0f} |" for part in measured]
    return "\n".join(["| part | KB | KB, gzip |", "|---|---:|---:|", *lines, ""])


def main() -> int:
    """Write the table; 1 where the client is not built."""
    if not (BUILT / "manifest.json").exists():
        sys.stderr.write("The web client is not built: make web/dist/index.html\n")
        return 1
    kept = [part for part in parts() if part.name == FIRST or part.packed >= _SMALL]
    said = table(kept)
    text = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(_TABLE.sub(lambda found: found[1] + said, text), encoding="utf-8")
    sys.stdout.write(said)
    return 0


if __name__ == "__main__":
    sys.exit(main())
