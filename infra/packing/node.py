"""Layers for servers in Node: Node itself, and the packages of a server."""

import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from infra import sources
from infra.commands import LOCK_NAME
from infra.packing.platform import Platform

_LOCK = sources.ROOT / "layers" / "node" / LOCK_NAME
_INSTALL = ("ci", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error")
_TARGET = ("--os=linux", "--libc=glibc")
_PACKAGES = "node_modules"
_UNUSED_FILES = ("*.d.ts", "*.d.mts", "*.d.cts", "*.map", "*.md")  # only compilers, debuggers and people read these

_RECIPE = " ".join(("1", *_INSTALL, *_TARGET, *_UNUSED_FILES))
"""Identifies the installation method in a layer's hash. Increase the number whenever ``_install`` changes."""


@dataclass(frozen=True)
class NodeRuntime:
    """Node, as ``/opt/bin/node``."""

    quick: ClassVar[bool] = False

    platform: Platform
    lock: Path = _LOCK

    @property
    def digest(self) -> str:
        """Return a hash of the locked version and the processor."""
        return _digest(self.lock, self.platform)

    def fill(self, folder: Path) -> None:
        """Download Node. Raise CalledProcessError if npm fails, FileNotFoundError if there is no npm."""
        with TemporaryDirectory() as temporary:
            _install(self.lock, self.platform, Path(temporary))
            (program,) = Path(temporary, _PACKAGES).glob("node-linux-*/bin/node")
            (folder / "bin").mkdir(parents=True)
            shutil.move(program, folder / "bin" / "node")


@dataclass(frozen=True)
class NodePackages:
    """The packages of a lock file, as ``/opt/node_modules``. Node finds them from every program below ``/opt``."""

    quick: ClassVar[bool] = False

    lock: Path
    platform: Platform

    @property
    def digest(self) -> str:
        """Return a hash of the locked packages, the processor and the installation method."""
        return _digest(self.lock, self.platform)

    def fill(self, folder: Path) -> None:
        """Install the packages without running their scripts. Raise CalledProcessError if npm fails."""
        with TemporaryDirectory() as temporary:
            _install(self.lock, self.platform, Path(temporary))
            folder.mkdir(parents=True, exist_ok=True)
            shutil.move(Path(temporary, _PACKAGES), folder / _PACKAGES)


def _install(lock: Path, platform: Platform, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("npm builds the layers of servers in Node: install it (it is a part of Node)")
    for name in (LOCK_NAME, "package.json"):
        shutil.copyfile(lock.with_name(name), folder / name)
    cpu = "arm64" if platform.architecture == "arm64" else "x64"
    subprocess.run([npm, *_INSTALL, *_TARGET, f"--cpu={cpu}"], cwd=folder, check=True)  # noqa: S603  (fixed arguments)
    packages = folder / _PACKAGES
    packages.mkdir(exist_ok=True)
    shutil.rmtree(packages / ".bin", ignore_errors=True)
    (packages / ".package-lock.json").unlink(missing_ok=True)
    for pattern in _UNUSED_FILES:
        for file in list(packages.rglob(pattern)):
            file.unlink()


def _digest(lock: Path, platform: Platform) -> str:
    digest = hashlib.sha256(f"{_RECIPE}\n{platform.architecture}\n".encode())
    for name in (LOCK_NAME, "package.json"):
        digest.update(lock.with_name(name).read_bytes())
    return digest.hexdigest()
