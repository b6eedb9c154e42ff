"""Correct moto's S3 objects: streaming of large objects, listing of versions, and removal during a download.

Large objects: patches ``FakeMultipart.complete``, ``FakeKey.value`` and ``S3Response.get_object``, so that an object is
assembled from its parts in small pieces, and sent in small pieces. Unpatched moto stores large objects in files, but
reads a whole object into memory several times to assemble it, and once for each range request. For a file of several
gigabytes, every reader would need that much memory. The patch does not compute checksums of whole objects, because
Satchel does not use them.

Versions: patches the name ``copy`` in ``moto.s3.models``, and the methods of ``S3Backend`` that change or look up keys.
Unpatched moto copies every object of a bucket, including its content, to list the versions of one key. moto also
iterates over the keys while other threads change them, and reads the last version of a key even if another thread has
just removed all versions of that key. Without the patch, deleting a file copies all users' files, and some requests
fail.

Removal: patches ``FakeKey.dispose``. Unpatched moto closes the content of an object as soon as the object is removed or
overwritten. Without the patch, a download in progress breaks off or fails with a server error.

Changes: a change log can store the objects and uploads that a request changed, before the request is answered
(``set_log``). For this, the patch notes each change in ``S3Backend``.
"""

import copy
import hashlib
import itertools
import tempfile
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, wraps
from types import SimpleNamespace
from typing import Any, Protocol

import moto.s3.models as s3
from moto.s3.exceptions import EntityTooSmall, InvalidPart, MalformedXML
from moto.s3.models import FakeKey, FakeMultipart, S3Backend
from moto.s3.responses import S3Response
from moto.settings import S3_UPLOAD_PART_MIN_SIZE, get_s3_default_key_buffer_size

from local.emulator.aws.moto_patches.patching import original, replace

_LARGE_BYTES = 16 << 20
_PIECE_BYTES = 1 << 20
_LOCKED_METHODS = (
    "put_object",
    "get_object",
    "delete_object",
    "delete_objects",
    "list_objects",
    "list_object_versions",
)
_value = original(FakeKey, "value")
_get = original(S3Response, "get_object")
_dispose = original(FakeKey, "dispose")
_create = original(S3Backend, "create_multipart_upload")
_tag = original(S3Backend, "put_object_tagging")
_KEY_METHODS = ("put_object", "delete_object", "delete_object_tagging")
_can_stream: ContextVar[bool] = ContextVar("_can_stream", default=False)
_keys_lock = threading.RLock()
_changed: ContextVar[tuple[set[str], set[str]]] = ContextVar("_changed")


class ChangeLog(Protocol):
    """Stores the objects and unfinished uploads of a bucket."""

    def store(self, pieces: Iterable[bytes]) -> Any:  # noqa: ANN401  (a buffer as moto expects it)
        """Store a content, and return a buffer that reads it."""

    def commit(self, keys: Collection[str], uploads: Collection[str]) -> None:
        """Store the current state of these keys and uploads. Raise an error for the client if this fails."""


class _Current:
    log: ChangeLog | None = None


def set_log(log: ChangeLog | None) -> None:
    """Store all later changes of S3 objects in ``log``, or in no log."""
    _Current.log = log


@cache
def install() -> None:
    """Patch moto so that it streams large S3 objects, and concurrent reads, listings and deletions do not interfere."""
    replace(FakeMultipart, "complete", _complete)
    replace(FakeKey, "value", property(_read_value, _write_value))
    replace(S3Response, "get_object", _get_object)
    for name in _LOCKED_METHODS:
        replace(S3Backend, name, _locked(original(S3Backend, name)))
    for name in ("_key_response", "_bucket_response"):
        replace(S3Response, name, _logged(original(S3Response, name)))
    for name in _KEY_METHODS:
        replace(S3Backend, name, _noting_key(S3Backend.__dict__[name]))
    replace(S3Backend, "create_multipart_upload", _create_upload)
    replace(S3Backend, "put_object_tagging", _put_tags)
    replace(s3, "copy", SimpleNamespace(copy=copy.copy, deepcopy=_deepcopy_except_objects))
    replace(FakeKey, "dispose", _dispose_unless_in_use)


@dataclass(frozen=True)
class ObjectRange:
    """The bytes of an S3 object from ``first`` to ``end`` (exclusive). Supports ``len``, slicing and iteration."""

    key: FakeKey
    first: int
    end: int

    def __len__(self) -> int:
        return self.end - self.first

    def __getitem__(self, part: slice) -> "ObjectRange":
        first, end, _ = part.indices(len(self))
        return ObjectRange(self.key, self.first + first, self.first + max(first, end))

    def __iter__(self) -> Iterator[bytes]:
        for offset in range(self.first, self.end, _PIECE_BYTES):
            with self.key.lock:
                self.key._value_buffer.seek(offset)  # noqa: SLF001  (moto's buffer)
                piece = self.key._value_buffer.read(min(_PIECE_BYTES, self.end - offset))  # noqa: SLF001
            yield piece


@dataclass(frozen=True)
class AssembledObject:
    """The content of an S3 object, copied from its uploaded parts, because moto closes the parts after the upload."""

    buffer: Any  # moto's or the change log's
    size: int


def _logged(respond: Callable[..., Any]) -> Callable[..., Any]:
    """Return a handler of S3 requests that also stores what the request changed, even if the request failed."""

    @wraps(respond)
    def run(self: S3Response, *args: Any) -> Any:  # noqa: ANN401  (moto's request and response)
        if _Current.log is None:
            return respond(self, *args)
        keys, uploads = changes = set[str](), set[str]()
        token = _changed.set(changes)
        try:
            return respond(self, *args)
        finally:
            _changed.reset(token)
            if keys or uploads:
                _Current.log.commit(keys, uploads)

    return run


def _note_key(key: str) -> None:
    if changes := _changed.get(None):
        changes[0].add(key)


def note_upload(s3_upload_id: str) -> None:
    """Note that the current request changes an unfinished upload."""
    if changes := _changed.get(None):
        changes[1].add(s3_upload_id)


def _noting_key(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def run(self: S3Backend, bucket_name: str, key_name: str, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (moto's arguments)
        _note_key(key_name)
        return method(self, bucket_name, key_name, *args, **kwargs)

    return run


def _create_upload(self: S3Backend, *args: Any, **kwargs: Any) -> FakeMultipart:  # noqa: ANN401  (moto's arguments)
    upload: FakeMultipart = _create(self, *args, **kwargs)
    note_upload(upload.id)
    return upload


def _put_tags(self: S3Backend, key: FakeKey, tags: dict[str, str] | None) -> FakeKey:
    _note_key(key.name)
    tagged: FakeKey = _tag(self, key, tags)
    return tagged


def _get_object(self: S3Response) -> Any:  # noqa: ANN401  (moto's response)
    # Stream only to HTTP clients: boto3 clients in this process call moto without a socket, and cannot stream.
    token = _can_stream.set("werkzeug.socket" in self.request.environ)
    try:
        return _get(self)
    finally:
        _can_stream.reset(token)


def _complete(self: FakeMultipart, body: Iterator[tuple[int, str]]) -> tuple[AssembledObject, str, None]:
    parts = [_requested_part(self, number, etag) for number, etag in body]
    if not parts:
        raise MalformedXML
    if any(part.contentsize < S3_UPLOAD_PART_MIN_SIZE for part in parts[:-1]):
        raise EntityTooSmall
    digests = b"".join(bytes.fromhex(part.etag.strip('"')) for part in parts)
    return _assemble(parts), f"{hashlib.md5(digests, usedforsecurity=False).hexdigest()}-{len(parts)}", None


def _assemble(parts: list[FakeKey]) -> AssembledObject:
    pieces = itertools.chain.from_iterable(ObjectRange(part, 0, part.contentsize) for part in parts)
    if _Current.log:
        return AssembledObject(_Current.log.store(pieces), sum(part.contentsize for part in parts))
    buffer = tempfile.SpooledTemporaryFile(get_s3_default_key_buffer_size())  # noqa: SIM115  (closed with the object)
    for part in parts:
        buffer.writelines(ObjectRange(part, 0, part.contentsize))
        part._value_buffer.close()  # noqa: SLF001  (frees the part's file as soon as it is copied)
    return AssembledObject(buffer, buffer.tell())


def _requested_part(upload: FakeMultipart, number: int, etag: str) -> FakeKey:
    part = upload.parts.get(number)
    if part is None or part.etag.strip('"') != etag.strip('"'):
        raise InvalidPart
    return part


def _read_value(self: FakeKey) -> bytes | ObjectRange:
    """Return the object's content as bytes, or as an ``ObjectRange`` if it is large and the server can stream it."""
    if self.contentsize > _LARGE_BYTES and _can_stream.get():
        return ObjectRange(self, 0, self.contentsize)
    content: bytes = _value.fget(self)
    return content


def _write_value(self: FakeKey, new: bytes | AssembledObject) -> None:
    if not isinstance(new, AssembledObject):
        _value.fset(self, new)
        return
    self._value_buffer.close()
    self._value_buffer, self.contentsize = new.buffer, new.size


def _deepcopy_except_objects(value: object) -> object:
    """Deep-copy ``value``. If it is a list of S3 objects, copy only the list, because their content may be huge."""
    if isinstance(value, list) and any(isinstance(each, FakeKey) for each in value):
        return list(value)
    return copy.deepcopy(value)


def _locked(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def run(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (the arguments of moto's method)
        with _keys_lock:
            return method(*args, **kwargs)

    return run


def _dispose_unless_in_use(self: FakeKey, garbage: bool = False) -> None:  # noqa: FBT001, FBT002  (moto's signature)
    self.disposed = True
    if garbage:  # Python frees the object, so no download uses its content any more
        _dispose(self)
