"""Let Python free moto's model objects, such as the items of DynamoDB, when nothing uses them any more.

Patches ``BaseModel.__new__``. Unpatched moto appends every model object that it ever creates to a list of the object's
class, ``instances_tracked``. Each write and each scan of an item creates objects, and so does each write to S3. Without
the patch, the memory of the emulator grows with each of these requests, until the emulator stops.
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
