"""An object that is removed is sent to its end to who has begun to fetch it.

Patches ``FakeKey.dispose``. moto closes the bytes of an object as soon as it is removed or written over, whoever reads
them: a download breaks off in the middle, or the server has an error.
"""

from functools import cache

from moto.s3.models import FakeKey

from local.aws.seams.patching import original, replace

_close = original(FakeKey, "dispose")


@cache
def install() -> None:
    """Patch moto."""
    replace(FakeKey, "dispose", _dispose)


def _dispose(self: FakeKey, garbage: bool = False) -> None:  # noqa: FBT001, FBT002  (moto's own)
    self.disposed = True
    if garbage:  # nobody has it any more
        _close(self)
