"""A large object is never in memory: it is joined from its parts piece by piece, and sent piece by piece.

Patches ``FakeMultipart.complete``, ``FakeKey.value`` and ``S3Response.get_object``. moto keeps large objects in files,
but reads the whole of one to make it of its parts (several times over) and to answer for any range of it: a file of
some gigabytes takes as many of memory, and each reader again. Checksums of a whole object, which nobody here asks for,
are not computed.
"""

import hashlib
import tempfile
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

from moto.s3.exceptions import EntityTooSmall, InvalidPart, MalformedXML
from moto.s3.models import FakeKey, FakeMultipart
from moto.s3.responses import S3Response
from moto.settings import S3_UPLOAD_PART_MIN_SIZE, get_s3_default_key_buffer_size

from local.aws.seams.patching import original, replace

_LARGE = 16 << 20
_PIECE = 1 << 20
_value = original(FakeKey, "value")
_get = original(S3Response, "get_object")
_sending: ContextVar[bool] = ContextVar("_sending", default=False)


@cache
def install() -> None:
    """Patch moto."""
    replace(FakeMultipart, "complete", _complete)
    replace(FakeKey, "value", property(_read, _write))
    replace(S3Response, "get_object", _get_object)


@dataclass(frozen=True)
class Stretch:
    """Bytes of a key from ``first`` to before ``end``: has a length, can be cut, and comes piece by piece."""

    key: FakeKey
    first: int
    end: int

    def __len__(self) -> int:
        return self.end - self.first

    def __getitem__(self, part: slice) -> "Stretch":
        first, end, _ = part.indices(len(self))
        return Stretch(self.key, self.first + first, self.first + max(first, end))

    def __iter__(self) -> Iterator[bytes]:
        for at in range(self.first, self.end, _PIECE):
            with self.key.lock:
                self.key._value_buffer.seek(at)  # noqa: SLF001  (moto's own buffer)
                piece = self.key._value_buffer.read(min(_PIECE, self.end - at))  # noqa: SLF001  (the same)
            yield piece


@dataclass(frozen=True)
class Joined:
    """The bytes of an object, made of its parts, which moto closes when the upload is complete."""

    buffer: tempfile.SpooledTemporaryFile[bytes]
    size: int


def _get_object(self: S3Response) -> Any:  # noqa: ANN401  (moto's answer)
    told = _sending.set("werkzeug.socket" in self.request.environ)  # boto3 of this process takes nothing but bytes
    try:
        return _get(self)
    finally:
        _sending.reset(told)


def _complete(self: FakeMultipart, body: Iterator[tuple[int, str]]) -> tuple[Joined, str, None]:
    parts = [_asked(self, number, etag) for number, etag in body]
    if not parts:
        raise MalformedXML
    if any(part.contentsize < S3_UPLOAD_PART_MIN_SIZE for part in parts[:-1]):
        raise EntityTooSmall
    digests = b"".join(bytes.fromhex(part.etag.strip('"')) for part in parts)
    return _join(parts), f"{hashlib.md5(digests, usedforsecurity=False).hexdigest()}-{len(parts)}", None


def _join(parts: list[FakeKey]) -> Joined:
    buffer = tempfile.SpooledTemporaryFile(get_s3_default_key_buffer_size())  # noqa: SIM115  (a key's, as moto has it)
    for part in parts:
        buffer.writelines(Stretch(part, 0, part.contentsize))
        part._value_buffer.close()  # noqa: SLF001  (its file goes as soon as its bytes are here)
    return Joined(buffer, buffer.tell())


def _asked(upload: FakeMultipart, number: int, etag: str) -> FakeKey:
    part = upload.parts.get(number)
    if part is None or part.etag.strip('"') != etag.strip('"'):
        raise InvalidPart
    return part


def _read(self: FakeKey) -> bytes | Stretch:
    """Return all of it, or what stands for it where a server can send it piece by piece."""
    if self.contentsize > _LARGE and _sending.get():
        return Stretch(self, 0, self.contentsize)
    whole: bytes = _value.fget(self)
    return whole


def _write(self: FakeKey, new: bytes | Joined) -> None:
    if not isinstance(new, Joined):
        _value.fset(self, new)
        return
    self._value_buffer.close()
    self._value_buffer, self.contentsize = new.buffer, new.size
