"""Helpers that replace private names of moto, and fail if moto has renamed them."""

import sys
from types import ModuleType
from typing import Any


def replace(owner: type | ModuleType, name: str, replacement: object) -> None:
    """Set ``owner.name`` to ``replacement``. Raise AttributeError if the owner has no such attribute."""
    getattr(owner, name)
    setattr(owner, name, replacement)


def original(owner: type, name: str) -> Any:  # noqa: ANN401  (moto's private names have no useful types)
    """Return moto's own ``owner.name``, so that the replacement can call it."""
    return owner.__dict__[name]


def replace_everywhere(package: str, name: str, original: object, replacement: object) -> None:
    """Replace ``name`` in each loaded module below ``package`` that imported ``original`` by that name."""
    for path, module in list(sys.modules.items()):
        if path.startswith(package) and getattr(module, name, None) is original:
            replace(module, name, replacement)
