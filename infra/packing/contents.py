"""The kinds of content of Lambda layers. Each kind can hash its inputs (``digest``) and write its files (``fill``)."""

import fnmatch
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from infra import sources
from infra.packing.packages import RECIPE, Pins, compile_folder, install
from infra.packing.platform import Platform

BRIDGE_START = "/var/task/local/bridge/start"
"""The script of the function ``bridge`` that replaces Lambda's runtime."""
NOT_DEPLOYED = ("__pycache__", "*.pyc", "*.in", ".*", "node_modules")
_NOT_DEPLOYED = re.compile("|".join(map(fnmatch.translate, NOT_DEPLOYED)))


class LayerContents(Protocol):
    """The files of one Lambda layer. If ``quick`` is False, a synthesis writes them only if the digest has changed."""

    quick: ClassVar[bool]

    @property
    def digest(self) -> str:
        """Return a hash of all inputs that determine the layer's files."""

    def fill(self, folder: Path) -> None:
        """Write the layer's files into a folder, which Lambda mounts as ``/opt``."""


@dataclass(frozen=True)
class CorePackage:
    """The project's own package ``satchel``: sources and byte code."""

    quick: ClassVar[bool] = False

    platform: Platform
    folder: Path = sources.CORE

    @property
    def digest(self) -> str:
        """Return a hash of the package's sources and the Python version."""
        return _hash(self.platform.python, *_file_hashes(self.folder))

    def fill(self, folder: Path) -> None:
        """Copy the package's sources and compile them."""
        _copy(self.folder, folder)
        if self.platform.matches_this_python:
            compile_folder(folder / "python", "/opt/python")


@dataclass(frozen=True)
class BridgeCode:
    """The code of the function ``bridge``: the package of the command, and the client that it uses."""

    quick: ClassVar[bool] = False

    platform: Platform

    @property
    def digest(self) -> str:
        """Return a hash of the sources and the Python version."""
        return _hash(self.platform.python, *_file_hashes(sources.BRIDGE), *_file_hashes(sources.CLIENT))

    def fill(self, folder: Path) -> None:
        """Copy the packages and compile them."""
        _copy(sources.BRIDGE, folder / "local" / sources.BRIDGE.name)
        _copy(sources.CLIENT, folder / sources.CLIENT.name)
        if self.platform.matches_this_python:
            compile_folder(folder, "/var/task")


@dataclass(frozen=True)
class ThirdPartyPackages:
    """Pinned third-party packages in the layer's folder ``target``. By default, Lambda imports only from ``python``."""

    quick: ClassVar[bool] = False

    pins: Pins
    platform: Platform
    target: str = "python"

    @property
    def digest(self) -> str:
        """Return a hash of the pins, the platform and the installation method."""
        platform = (self.platform.python, self.platform.wheel_platform, str(self.platform.matches_this_python))
        return _hash(RECIPE, self.target, *platform, *sorted(self.pins))

    def fill(self, folder: Path) -> None:
        """Install the packages, remove unused files and compile the rest. Raise CalledProcessError if uv fails."""
        install(self.pins, self.platform, folder / self.target)
        if self.platform.matches_this_python:
            compile_folder(folder / self.target, f"/opt/{self.target}")


@dataclass(frozen=True)
class ServerFiles:
    """MCP servers: an mcp.json with ``entries``, and copies of the files at ``paths`` (relative to ``root``)."""

    quick: ClassVar[bool] = True

    entries: Mapping[str, Mapping[str, Any]]
    root: Path
    paths: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """Return a hash of the entries and of the servers' files."""
        return _hash(self._config, *(part for path in self.paths for part in (path, *_file_hashes(self.root / path))))

    def fill(self, folder: Path) -> None:
        """Copy the servers' files and write mcp.json."""
        servers = folder / "servers"
        for path in self.paths:
            _copy(self.root / path, servers / path)
        servers.mkdir(parents=True, exist_ok=True)
        (servers / "mcp.json").write_text(self._config, encoding="utf-8")

    @property
    def _config(self) -> str:
        return json.dumps(self.entries, indent=1)


@dataclass(frozen=True)
class StaticFolder:
    """A copy of ``folder``, placed in the layer's folder ``target``."""

    quick: ClassVar[bool] = True

    folder: Path
    target: str

    @property
    def digest(self) -> str:
        """Return a hash of the folder's files and of ``target``."""
        return _hash(self.target, *_file_hashes(self.folder))

    def fill(self, folder: Path) -> None:
        """Copy the folder's files."""
        _copy(self.folder, folder / self.target)


def _copy(source: Path, target: Path) -> None:
    if source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
        return
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(*NOT_DEPLOYED), dirs_exist_ok=True)


def _file_hashes(source: Path) -> Iterator[str]:
    """Yield a line with path, executable bit and content hash for each file that ``_copy`` would copy."""
    for path in sorted(_files(source)):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        yield f"{path.relative_to(source)} {bool(path.stat().st_mode & 0o100)} {content}"


def _files(source: Path) -> Iterator[Path]:
    """Yield the source, if it is a file, and the files below it, without those that are not deployed."""
    if source.is_file():
        yield source
    for folder, folders, names in os.walk(source):
        folders[:] = [name for name in folders if not _NOT_DEPLOYED.match(name)]
        yield from (path for name in names if not _NOT_DEPLOYED.match(name) and (path := Path(folder, name)).is_file())


def _hash(*parts: str) -> str:
    return _digest(part.encode() for part in parts)


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return digest.hexdigest()
