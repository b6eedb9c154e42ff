"""Tests of `satchel doctor`, also with isolation layers that the kernel refuses."""

import os
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from satchel.adapters.sandbox.probe import find_layers
from satchel.domain.isolation import Safeguard

ROOT = Path(__file__).parents[3]
WITHOUT_LAYERS = [sys.executable, str(ROOT / "tests/without_kernel_layers.py")]
DOCTOR = [sys.executable, "-m", "local.cli.main", "doctor"]
SERVE = [sys.executable, "-m", "local.cli.main", "serve", "--port", "0"]


def run(command: list[str], min_level: str = "process") -> "subprocess.CompletedProcess[str]":
    environ = {**os.environ, "SATCHEL_MIN_ISOLATION": min_level}
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False, timeout=250)  # noqa: S603  (ours)


def test_active_layers_are_those_of_this_kernel() -> None:
    detected = find_layers()
    result = run(DOCTOR)

    assert result.returncode == 0
    assert f"isolation level: {detected.level}" in result.stdout
    active = {line.split()[0] for line in result.stdout.splitlines() if " active: " in line}
    assert active == detected.layers | set(get_args(Safeguard))


def test_missing_layers_are_listed() -> None:
    result = run([*WITHOUT_LAYERS, *DOCTOR])

    assert result.returncode == 0
    assert "isolation level: process" in result.stdout
    for layer in ("landlock", "seccomp", "mounts"):
        assert f"  {layer:12} missing: " in result.stdout


@pytest.mark.parametrize("command", [DOCTOR, SERVE])
def test_doctor_and_serve_fail_below_the_minimum_level(command: list[str]) -> None:
    result = run([*WITHOUT_LAYERS, *command], min_level="kernel")

    assert result.returncode == 1
    assert "SATCHEL_MIN_ISOLATION requires" in result.stdout + result.stderr


def test_unknown_minimum_level_is_a_settings_error() -> None:
    result = run(DOCTOR, min_level="castle")

    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("SATCHEL_MIN_ISOLATION: ")
