"""Let Python free moto's model objects, such as the items of DynamoDB, when nothing uses them any more.

Patches ``BaseModel.__new__``. Unpatched moto appends every model object that it ever creates to a list of the object's
class, ``instances_tracked``. A read of an item creates a copy, so the list contains every item as often as it was read.
Without the patch, the memory of the emulator grows by the items that each request reads, until the emulator stops.
"""

from functools import cache

from moto.core.common_models import BaseModel

from local.emulator.aws.moto_patches.patching import replace


@cache
def install() -> None:
    """Patch moto so that it does not keep every model object that it creates."""
    replace(BaseModel, "__new__", _create)


def _create(cls: type[BaseModel], *_arguments: object, **_named: object) -> BaseModel:
    return object.__new__(cls)
