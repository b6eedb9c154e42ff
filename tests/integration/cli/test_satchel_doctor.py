"""The doctor tells the truth, also where the kernel's layers cannot be had."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from satchel.adapters.sandbox.probe import find_layers

ROOT = Path(__file__).parents[3]
WITHOUT = [sys.executable, str(ROOT / "tests/without_layers.py")]
DOCTOR = [sys.executable, "-m", "local.cli.main", "doctor"]
SERVE = [sys.executable, "-m", "local.cli.main", "serve", "--port", "0"]


def run(command: list[str], least: str = "process") -> "subprocess.CompletedProcess[str]":
    environ = {**os.environ, "SATCHEL_MIN_ISOLATION": least}
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False, timeout=100)  # noqa: S603  (ours)


def test_it_tells_what_this_kernel_holds() -> None:
    found = find_layers()
    said = run(DOCTOR)

    assert said.returncode == 0
    assert f"isolation level: {found.level}" in said.stdout
    assert {line.split()[0] for line in said.stdout.splitlines() if " holds: " in line} == set(found.layers)


def test_it_tells_what_is_missing() -> None:
    said = run([*WITHOUT, *DOCTOR])

    assert said.returncode == 0
    assert "isolation level: process" in said.stdout
    for layer in ("landlock", "seccomp", "mounts"):
        assert f"  {layer:9} missing: " in said.stdout


@pytest.mark.parametrize("command", [DOCTOR, SERVE])
def test_below_the_least_level_nothing_runs(command: list[str]) -> None:
    said = run([*WITHOUT, *command], least="kernel")

    assert said.returncode == 1
    assert "SATCHEL_MIN_ISOLATION asks for" in said.stdout + said.stderr


def test_a_level_that_there_is_not_is_named() -> None:
    said = run(DOCTOR, least="castle")

    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr.startswith("SATCHEL_MIN_ISOLATION: ")
