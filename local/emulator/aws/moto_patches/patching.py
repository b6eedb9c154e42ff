"""Helpers that replace private names of moto, and fail if moto has renamed them."""

import sys
from types import ModuleType
from typing import Any


def replace(owner: type | ModuleType, name: str, replacement: object) -> None:
    """Set the attribute ``name`` of ``owner`` to ``replacement``. Raise AttributeError if ``owner`` has no ``name``."""
    getattr(owner, name)
    setattr(owner, name, replacement)


def original(owner: type, name: str) -> Any:  # noqa: ANN401  (moto's private names have no useful types)
    """Return moto's own attribute ``name`` of class ``owner``, so that its replacement can call the original."""
    return owner.__dict__[name]


def replace_everywhere(package: str, name: str, original: object, replacement: object) -> None:
    """Set ``name`` to ``replacement`` in each loaded module below ``package`` where ``name`` is ``original``."""
    for path, module in list(sys.modules.items()):
        if path.startswith(package) and getattr(module, name, None) is original:
            replace(module, name, replacement)
