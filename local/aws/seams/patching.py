"""Replacing a private of moto's so that it is noticed when moto has renamed it."""

import sys
from types import ModuleType
from typing import Any


def replace(owner: type | ModuleType, name: str, replacement: object) -> None:
    """Put ``replacement`` in the place of ``owner.name``. Raises AttributeError where there is no such place."""
    getattr(owner, name)
    setattr(owner, name, replacement)


def original(owner: type, name: str) -> Any:  # noqa: ANN401  (moto's privates have no types worth the name)
    """Return ``owner.name`` as moto has it, for the replacement to call."""
    return owner.__dict__[name]


def replace_everywhere(package: str, name: str, original: object, replacement: object) -> None:
    """Do so in each loaded module below ``package`` that imported ``original`` by its name."""
    for path, module in list(sys.modules.items()):
        if path.startswith(package) and getattr(module, name, None) is original:
            replace(module, name, replacement)
