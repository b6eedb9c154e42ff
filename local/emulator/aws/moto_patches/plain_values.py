"""Values of a table are answered as they are kept, which is the form in which they travel.

Patches ``BaseJSONSerializer._serialize_type_structure``. moto looks in each value for each of the ten types that one
may have, under several spellings: a query of thirty items takes 8 ms of processor time instead of 2.
"""

from functools import cache
from typing import Any

from moto.core.serialize import BaseJSONSerializer

from local.emulator.aws.moto_patches.patching import original, replace

_PLAIN = {"S", "N", "BOOL"}
_structure = original(BaseJSONSerializer, "_serialize_type_structure")


@cache
def install() -> None:
    """Patch moto."""
    replace(BaseJSONSerializer, "_serialize_type_structure", _serialize)


def _serialize(self: BaseJSONSerializer, serialized: dict[str, Any], value: object, shape: Any, key: str) -> None:  # noqa: ANN401  (botocore's)
    if shape.name == "AttributeValue" and isinstance(value, dict) and len(value) == 1 and value.keys() <= _PLAIN:
        self._default_serialize(serialized, value, shape, key)
    else:
        _structure(self, serialized, value, shape, key)
