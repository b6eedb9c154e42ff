"""Attacks, a module for each kind: each a function that has its way or raises."""

from . import changing, kernel, network, paths, processes, reading, resources, tampering, writing
from .ground import ATTACKS, Ground

__all__ = [
    "ATTACKS",
    "Ground",
    "changing",
    "kernel",
    "network",
    "paths",
    "processes",
    "reading",
    "resources",
    "tampering",
    "writing",
]
