"""Attacks, one module for each kind. An attack function returns if it succeeds, and raises if it is blocked."""

from . import changing, kernel, network, opened, paths, processes, reading, resources, tampering, writing
from .framework import ATTACKS, Target
from .running import run_attacks

__all__ = [
    "ATTACKS",
    "Target",
    "changing",
    "kernel",
    "network",
    "opened",
    "paths",
    "processes",
    "reading",
    "resources",
    "run_attacks",
    "tampering",
    "writing",
]
