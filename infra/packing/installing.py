"""Packages of others, as wheels for the functions' platform, without what nothing imports there."""

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.packing.platform import Platform
from infra.packing.requirements import Pins

_OPTIONS = ("--quiet", "--only-binary", ":all:", "--require-hashes", "--no-deps")
_LEFT_OUT = ("*.pyi", "*.c", "*.h", "*.pyx", "*.pxd", "*.a")  # what compilers and type checkers read
_TESTS = "tests"

RECIPE = " ".join(("1", *_OPTIONS, *_LEFT_OUT, _TESTS))
"""How it is done, as part of a layer's hash: the number goes up when what is done below changes."""


def install(pins: Pins, platform: Platform, folder: Path) -> None:
    """Install what is pinned, which is complete: nothing else is looked for. Raises CalledProcessError."""
    choice = ("--python-version", platform.python, "--python-platform", platform.wheels)
    with TemporaryDirectory() as temporary:
        requirements = Path(temporary) / "requirements.txt"
        requirements.write_text("".join(sorted(pins)), encoding="utf-8")
        command = [*_uv(), "pip", "install", *_OPTIONS, *choice, "--target", str(folder), "-r", str(requirements)]
        # What was fetched once is at hand: without the network, and without asking it whether anything is new.
        if subprocess.run([*command, "--offline"], check=False, stderr=subprocess.DEVNULL).returncode != 0:  # noqa: S603  (fixed words and paths of this checkout)
            shutil.rmtree(folder, ignore_errors=True)
            subprocess.run(command, check=True)  # noqa: S603  (the same)
    _prune(folder)


def _prune(folder: Path) -> None:
    shutil.rmtree(folder / "bin", ignore_errors=True)  # commands that name the building interpreter
    (folder / ".lock").unlink(missing_ok=True)
    for tests in list(_tests(folder)):
        shutil.rmtree(tests)
    for pattern in _LEFT_OUT:
        for file in list(folder.rglob(pattern)):
            file.unlink()


def _tests(folder: Path) -> Iterator[Path]:
    """Yield the outermost folders of packages' own tests."""
    for found in sorted(folder.rglob(_TESTS)):
        if found.is_dir() and _TESTS not in found.relative_to(folder).parts[:-1] and any(found.rglob("test_*.py")):
            yield found


def _uv() -> list[str]:
    """Prefer the uv that is installed beside this interpreter, so that its version is the pinned one."""
    if importlib.util.find_spec("uv"):
        return [sys.executable, "-m", "uv"]
    if found := shutil.which("uv"):
        return [found]
    raise FileNotFoundError("uv builds the layers: install it (requirements/uv.txt)")
