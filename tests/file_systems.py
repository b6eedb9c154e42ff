"""Small and read-only file systems for tests, which need the right to mount."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, mib: int) -> Iterator[None]:
    """Mount a file system of this size at a new folder. Skip the test if this is not permitted."""
    folder.mkdir()
    _mount("-t", "tmpfs", "-o", f"size={mib}m", "tmpfs", str(folder))
    try:
        yield
    finally:
        _run("umount", "--lazy", str(folder))


@contextmanager
def read_only(path: Path) -> Iterator[None]:
    """Make a folder or file read-only, also for root. Skip the test if this is not permitted."""
    _mount("--bind", str(path), str(path))
    try:
        _mount("-o", "remount,bind,ro", str(path))
        yield
    finally:
        _run("umount", "--lazy", str(path))


def _mount(*arguments: str) -> None:
    if _run("mount", *arguments):
        pytest.skip("this user may not mount file systems")


def _run(*command: str) -> int:
    return subprocess.run(command, capture_output=True, check=False).returncode  # noqa: S603  (fixed programs)
