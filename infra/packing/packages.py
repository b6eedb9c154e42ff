"""Install third-party packages for a layer: read pins, install wheels, remove unused files, compile byte code."""

import compileall
import importlib.util
import os
import py_compile
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.packing.platform import Platform

Pins = frozenset[str]
"""The entries of a requirements file, each with its name, version, marker and hashes."""

_ENTRY = re.compile(r"^(?=[A-Za-z0-9])", re.MULTILINE)
_PINNED = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[[^\]]*\])?==\S")
_OPTIONS = ("--quiet", "--only-binary", ":all:", "--require-hashes", "--no-deps")
_UNUSED_FILES = ("*.pyi", "*.c", "*.h", "*.pyx", "*.pxd", "*.a")  # only compilers and type checkers read these files
_TESTS = "tests"

RECIPE = " ".join(("1", *_OPTIONS, *_UNUSED_FILES, _TESTS))
"""Identifies the installation method in a layer's hash. Increase the number whenever ``install`` changes."""


class UnpinnedError(ValueError):
    """A requirement has no exact version with hashes, so two builds of the layer could differ."""


def read_pins(path: Path) -> Pins:
    """Return the entries of a requirements file. Raise OSError, or UnpinnedError if a version or hash is missing."""
    text = "".join(line for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if line[:1] != "#")
    entries = [entry for entry in _ENTRY.split(text) if entry.strip()]
    if unpinned := [entry.split()[0] for entry in entries if not _PINNED.match(entry) or "--hash=" not in entry]:
        command = f"uv pip compile --universal --generate-hashes {path.with_suffix('.in').name} -o {path.name}"
        raise UnpinnedError(f"{path}: no version with hashes for {', '.join(unpinned)}; run `{command}` to write them")
    return frozenset(f"{entry.rstrip()}\n" for entry in entries)


def missing_from(base: Pins, pins: Pins) -> Pins | None:
    """Return the pins that ``base`` lacks. Return None if ``base`` has a package or version that is not in ``pins``."""
    missing = pins - base
    return missing if _names(missing).isdisjoint(_names(base)) and base <= pins else None


def install(pins: Pins, platform: Platform, folder: Path) -> None:
    """Install wheels into a folder. The pins must include all dependencies. Raise CalledProcessError if uv fails."""
    target = ("--python-version", platform.python, "--python-platform", platform.wheel_platform)
    with TemporaryDirectory() as temporary:
        requirements = Path(temporary) / "requirements.txt"
        requirements.write_text("".join(sorted(pins)), encoding="utf-8")
        command = [*_uv(), "pip", "install", *_OPTIONS, *target, "--target", str(folder), "-r", str(requirements)]
        # Try with uv's cache only: if it has all wheels, the build needs neither the network nor the package index.
        if subprocess.run([*command, "--offline"], check=False, stderr=subprocess.DEVNULL).returncode != 0:  # noqa: S603  (fixed arguments and paths of this checkout)
            shutil.rmtree(folder, ignore_errors=True)
            subprocess.run(command, check=True)  # noqa: S603  (fixed arguments)
    _prune(folder)


def compile_folder(folder: Path, mount_path: str) -> None:
    """Compile the Python files of a folder that Lambda mounts at ``mount_path``.

    Each cold start would compile files without byte code again, because a function cannot write to its layers. Python
    must not compare the modification times of sources and byte code, because a layer's archive loses them. Files that
    are not valid in this version of Python are skipped (some packages ship templates named ``*.py``).
    """
    sys.stdout.flush()
    compileall.compile_dir(
        str(folder),
        quiet=2,
        workers=os.cpu_count() or 1,
        stripdir=str(folder),
        prependdir=mount_path,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )


def _names(pins: Pins) -> set[str]:
    matches = (_PINNED.match(entry) for entry in pins)
    return {re.sub(r"[-_.]+", "-", match["name"]).lower() for match in matches if match}


def _prune(folder: Path) -> None:
    shutil.rmtree(folder / "bin", ignore_errors=True)  # bin/ has scripts that work only with this machine's Python
    (folder / ".lock").unlink(missing_ok=True)
    for tests in list(_test_folders(folder)):
        shutil.rmtree(tests)
    for pattern in _UNUSED_FILES:
        for file in list(folder.rglob(pattern)):
            file.unlink()


def _test_folders(folder: Path) -> Iterator[Path]:
    """Yield the outermost test folders of the packages. All other test folders are inside them."""
    for path in sorted(folder.rglob(_TESTS)):
        if path.is_dir() and _TESTS not in path.relative_to(folder).parts[:-1] and any(path.rglob("test_*.py")):
            yield path


def _uv() -> list[str]:
    """Return the command that runs uv: the pinned uv of this interpreter if installed, otherwise the uv on PATH."""
    if importlib.util.find_spec("uv"):
        return [sys.executable, "-m", "uv"]
    if path := shutil.which("uv"):
        return [path]
    raise FileNotFoundError("uv builds the layers: install it (requirements/uv.txt)")
