"""Objects and their versions are found and listed while others write and remove some, and without their bytes.

Patches what ``moto.s3.models`` knows as ``copy``, and the methods of ``S3Backend`` that change which keys there are or
look for them. moto copies every object of a bucket, its bytes included, to list the versions of one key; it walks
through the keys while other threads change them, and takes the last version of a key of which another has just removed
all: deleting a file copies everybody's, and some requests end with an error.
"""

import copy
import threading
from collections.abc import Callable
from functools import cache, wraps
from types import SimpleNamespace
from typing import Any

import moto.s3.models as s3
from moto.s3.models import FakeKey, S3Backend

from local.aws.seams.patching import original, replace

_ALONE = ("put_object", "get_object", "delete_object", "delete_objects", "list_objects", "list_object_versions")
_keys = threading.RLock()


@cache
def install() -> None:
    """Patch moto."""
    for name in _ALONE:
        replace(S3Backend, name, _one_at_a_time(original(S3Backend, name)))
    replace(s3, "copy", SimpleNamespace(copy=copy.copy, deepcopy=_spare_objects))


def _spare_objects(value: object) -> object:
    """Copy anything but the versions of a key: the listing writes nothing to them but which is the latest."""
    if isinstance(value, list) and any(isinstance(one, FakeKey) for one in value):
        return list(value)
    return copy.deepcopy(value)


def _one_at_a_time(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def run(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (whatever moto's method takes)
        with _keys:
            return method(*args, **kwargs)

    return run
