"""Bringing the inputs of a call to the person's directory, by presigned links, in bounded memory."""

import os
from collections.abc import Sequence
from pathlib import Path

import httpx2
from pydantic import BaseModel, TypeAdapter, ValidationError

from satchel.adapters.clearing import remove_tree
from satchel.contract.errors import ToolFailed
from satchel.ports.runners import InputFile

FOLDER = "input_files"
_MEMORY = ".satchel"
_CHUNK = 1 << 20
_TIMEOUT = httpx2.Timeout(30.0)
_AS_STORED = {"Accept-Encoding": "identity"}


class _Fetched(BaseModel):
    """What a file was when it was brought. The inode and its change time give away whatever a tool did to it since."""

    etag: str
    inode: int
    changed: int


_MEMORIES: TypeAdapter[dict[str, _Fetched]] = TypeAdapter(dict[str, _Fetched])


def fetch(inputs: Sequence[InputFile], home: Path, transport: httpx2.BaseTransport | None = None) -> None:
    """Put each file at ``{home}/input_files/{name}``; one that lies there unchanged is not brought again.

    Raises ToolFailed naming the file that could not be brought, OSError when the disk is full.
    """
    if not inputs:
        return
    folder, memory = _real_directory(home / FOLDER), _real_directory(home / _MEMORY) / "inputs.json"
    known = _recall(memory)
    with httpx2.Client(timeout=_TIMEOUT, headers=_AS_STORED, transport=transport) as http:
        for wanted in inputs:
            target = folder / _checked(wanted.name)
            if not target.exists() or known.get(wanted.name) != _state(target, wanted.etag):
                known[wanted.name] = _bring(http, wanted, target, memory.with_name("incoming"))
    memory.unlink(missing_ok=True)
    _write_new(memory, _MEMORIES.dump_json(known))


def _bring(http: httpx2.Client, wanted: InputFile, target: Path, part: Path) -> _Fetched:
    """Stream to a temporary name, then rename: a tool never sees half a file."""
    part.unlink(missing_ok=True)
    size = 0
    try:
        with http.stream("GET", wanted.url) as answer, os.fdopen(_create(part), "wb") as file:
            if answer.status_code != httpx2.codes.OK:
                raise ToolFailed(f"The file {wanted.name!r} cannot be fetched (HTTP {answer.status_code})")
            for chunk in answer.iter_raw(_CHUNK):
                size += len(chunk)
                if size > wanted.size:
                    break
                file.write(chunk)
    except httpx2.HTTPError as error:
        # Only the kind is told: the text may hold the link, and the link is a key.
        raise ToolFailed(f"The file {wanted.name!r} cannot be fetched ({type(error).__name__})") from None
    if size != wanted.size:
        raise ToolFailed(f"The file {wanted.name!r} should have {wanted.size} bytes, but {size} or more came")
    if target.is_dir() and not target.is_symlink():
        remove_tree(target)
    part.rename(target)
    return _state(target, wanted.etag)


def _checked(name: str) -> str:
    if "/" in name or "\0" in name or name in {"", ".", ".."}:
        raise ToolFailed(f"{name!r} is no name of a file")
    return name


def _real_directory(path: Path) -> Path:
    """Make the directory; anything else in its place, above all a link, is something that a tool left."""
    if os.path.lexists(path) and (path.is_symlink() or not path.is_dir()):
        path.unlink()
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def _state(path: Path, etag: str) -> _Fetched:
    found = path.lstat()
    return _Fetched(etag=etag, inode=found.st_ino, changed=found.st_ctime_ns)


def _recall(memory: Path) -> dict[str, _Fetched]:
    try:
        return _MEMORIES.validate_json(memory.read_bytes())
    except (OSError, ValidationError):
        return {}


def _create(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _write_new(path: Path, data: bytes) -> None:
    with os.fdopen(_create(path), "wb") as file:
        file.write(data)
