"""`python -m tests.bench.page_sizes`: write the download sizes of the web client into docs/web.md."""

import gzip
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from local.emulator.http_gateway import BUILT
from tests.e2e.system_process import ROOT

DOCUMENT = ROOT / "docs" / "web.md"
FIRST = "first load"
_TABLE = re.compile(r"(<!-- sizes -->\n).*?(?=<!-- /sizes -->)", re.DOTALL)
_KB = 1000
_MIN_ROW_BYTES = 1_000  # compressed; smaller parts get no row

Manifest = dict[str, dict[str, Any]]


class Part(NamedTuple):
    """Files that are loaded together."""

    name: str
    files: frozenset[Path]

    @property
    def size(self) -> int:
        """Return the uncompressed bytes."""
        return sum(path.stat().st_size for path in self.files)

    @property
    def gzip_size(self) -> int:
        """Return the bytes after compression with gzip."""
        return sum(len(gzip.compress(path.read_bytes(), mtime=0)) for path in self.files)


def page_parts(built: Path = BUILT) -> list[Part]:
    """Return the first load, then the parts that are loaded on demand, without the files of the first load."""
    manifest: Manifest = json.loads((built / "manifest.json").read_text(encoding="utf-8"))
    entry = next(key for key, chunk in manifest.items() if chunk.get("isEntry"))
    first = frozenset({built / "index.html", *(built / name for name in _files_of(manifest, entry))})
    later = [
        Part(_name(key, chunk), frozenset(built / name for name in _files_of(manifest, key)) - first)
        for key, chunk in manifest.items()
        if chunk.get("isDynamicEntry") and key.startswith("src/")  # not the parts of a library
    ]
    return [Part(FIRST, first), *sorted(later, key=lambda part: part.name.lower())]


def _files_of(manifest: Manifest, key: str) -> Iterator[str]:
    seen: set[str] = set()
    remaining = [key]
    while remaining:
        if (current := remaining.pop()) in seen:
            continue
        seen.add(current)
        chunk = manifest[current]
        yield chunk["file"]
        yield from chunk.get("css", [])
        yield from chunk.get("assets", [])
        remaining += chunk.get("imports", [])


def _name(key: str, chunk: dict[str, Any]) -> str:
    return key.removeprefix("src/").rpartition(".")[0] if key.startswith("src/") else str(chunk.get("name", key))


def table(parts: list[Part]) -> str:
    """Return the parts as a Markdown table."""
    lines = [f"| {part.name} | {part.size / _KB:.0f} | {part.gzip_size / _KB:.0f} |" for part in parts]
    return "\n".join(["| part | KB | KB, gzip |", "|---|---:|---:|", *lines, ""])


def main() -> int:
    """Write and print the table. Return 1 if the web client is not built."""
    if not (BUILT / "manifest.json").exists():
        sys.stderr.write("The web client is not built: make web/dist/index.html\n")
        return 1
    rows = [part for part in page_parts() if part.name == FIRST or part.gzip_size >= _MIN_ROW_BYTES]
    text = table(rows)
    document = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(_TABLE.sub(lambda match: match[1] + text, document), encoding="utf-8")
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
