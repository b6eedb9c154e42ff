"""What a layer holds: each kind knows its ``digest``, which follows what is in it, and how to ``fill`` a folder."""

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from infra import sources
from infra.packing.compiling import compile_folder
from infra.packing.installing import RECIPE, install
from infra.packing.platform import Platform
from infra.packing.requirements import Pins

NOT_DEPLOYED = ("__pycache__", "*.pyc", "*.in", ".*")


class Contents(Protocol):
    """What a layer holds. What is ``quick`` to fill in is filled in wherever templates are made, tests included."""

    quick: ClassVar[bool]

    @property
    def digest(self) -> str:
        """Return a hash of everything that decides what is in the layer."""

    def fill(self, folder: Path) -> None:
        """Write it into a folder, as it is to stand in ``/opt``."""


@dataclass(frozen=True)
class OwnPackage:
    """Our own package, compiled."""

    quick: ClassVar[bool] = False

    platform: Platform
    folder: Path = sources.CORE

    @property
    def digest(self) -> str:
        """Follow the sources."""
        return _hash(self.platform.python, *_told(self.folder))

    def fill(self, folder: Path) -> None:
        """Copy and compile."""
        _copy(self.folder, folder)
        if self.platform.compiles_here:
            compile_folder(folder / "python", "/opt/python")


@dataclass(frozen=True)
class Packages:
    """Pinned packages of others, below ``place``: ``python`` is on the path of functions."""

    quick: ClassVar[bool] = False

    pins: Pins
    platform: Platform
    place: str = "python"

    @property
    def digest(self) -> str:
        """Follow versions, hashes and how they are installed."""
        platform = (self.platform.python, self.platform.wheels, str(self.platform.compiles_here))
        return _hash(RECIPE, self.place, *platform, *sorted(self.pins))

    def fill(self, folder: Path) -> None:
        """Install, leave out what nothing imports, compile. Raises CalledProcessError."""
        install(self.pins, self.platform, folder / self.place)
        if self.platform.compiles_here:
            compile_folder(folder / self.place, f"/opt/{self.place}")


@dataclass(frozen=True)
class ServerFiles:
    """An mcp.json with some entries, and of the folder beside it what these need (``paths``, relative to it)."""

    quick: ClassVar[bool] = True

    entries: Mapping[str, Mapping[str, Any]]
    root: Path
    paths: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """Follow the entries and the files."""
        return _hash(self._config, *(told for path in self.paths for told in (path, *_told(self.root / path))))

    def fill(self, folder: Path) -> None:
        """Copy the files and write the entries."""
        servers = folder / "servers"
        for path in self.paths:
            _copy(self.root / path, servers / path)
        servers.mkdir(parents=True, exist_ok=True)
        (servers / "mcp.json").write_text(self._config, encoding="utf-8")

    @property
    def _config(self) -> str:
        return json.dumps(self.entries, indent=1)


@dataclass(frozen=True)
class Folder:
    """A folder as it is, below ``place``."""

    quick: ClassVar[bool] = True

    folder: Path
    place: str

    @property
    def digest(self) -> str:
        """Follow the files."""
        return _hash(self.place, *_told(self.folder))

    def fill(self, folder: Path) -> None:
        """Copy the files."""
        _copy(self.folder, folder / self.place)


def _copy(source: Path, target: Path) -> None:
    if source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
        return
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(*NOT_DEPLOYED), dirs_exist_ok=True)


def _told(source: Path) -> Iterator[str]:
    """Yield of each file that is copied its name, whether it can be run, and what is in it."""
    for path in sorted([source, *source.rglob("*")]):
        within = path.relative_to(source)
        if path.is_file() and not any(part for part in within.parts if _left_out(Path(part))):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            yield f"{within} {bool(path.stat().st_mode & 0o100)} {content}"


def _left_out(part: Path) -> bool:
    return any(part.match(pattern) for pattern in NOT_DEPLOYED)


def _hash(*parts: str) -> str:
    return _digest(part.encode() for part in parts)


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return digest.hexdigest()
