"""Downloads a call's input files to the user's workspace, lists its files, and opens the artifacts that a tool names.

Tools control everything in the workspace, so this module follows no symbolic links and trusts no existing entry.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import httpx2
from pydantic import BaseModel, TypeAdapter, ValidationError

from satchel.adapters.tls import tls_context
from satchel.adapters.tree_removal import remove_tree
from satchel.contract.errors import FileTooLarge, InvalidArtifact, InvalidPath, ToolError, ToolFailed
from satchel.ports.runners import FileState, InputFile

INPUTS = "input_files"
_STATE_FOLDER = ".satchel"
_CHUNK = 1 << 20
_TIMEOUT = httpx2.Timeout(30.0)
_UNCOMPRESSED = {"Accept-Encoding": "identity"}

_MAX_FILES = 10_000
_MAX_DEPTH = 20

_OPEN_DIRECTORY = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a FIFO would wait for a writer.
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class _FetchedFile(BaseModel):
    """State of a downloaded input file. A different inode or change time means that a tool changed the file."""

    etag: str
    inode: int
    changed: int


_FETCHED_FILES: TypeAdapter[dict[str, _FetchedFile]] = TypeAdapter(dict[str, _FetchedFile])


def fetch_inputs(inputs: Sequence[InputFile], workspace: Path, transport: httpx2.BaseTransport | None = None) -> None:
    """Download each file to ``{workspace}/input_files/{name}``, unless it is already there and unchanged.

    Downloads are streamed, so memory use is bounded. Raise ToolFailed with the name of a file that could not be
    downloaded, or OSError if the disk is full.
    """
    if not inputs:
        return
    folder, state_file = _real_directory(workspace / INPUTS), _real_directory(workspace / _STATE_FOLDER) / "inputs.json"
    fetched = _read_state(state_file)
    client = httpx2.Client(timeout=_TIMEOUT, headers=_UNCOMPRESSED, transport=transport, verify=tls_context())
    with client as http:
        for requested in inputs:
            target = folder / _checked_name(requested.name)
            if not target.exists() or fetched.get(requested.name) != _state(target, requested.etag):
                fetched[requested.name] = _download(http, requested, target, state_file.with_name("incoming"))
    state_file.unlink(missing_ok=True)
    _write_new(state_file, _FETCHED_FILES.dump_json(fetched))


def _download(http: httpx2.Client, requested: InputFile, target: Path, partial: Path) -> _FetchedFile:
    """Download to a temporary file, then rename it to ``target``, so that a tool never sees a partial file."""
    partial.unlink(missing_ok=True)
    size = 0
    try:
        with http.stream("GET", requested.url) as response, os.fdopen(_create(partial), "wb") as file:
            if response.status_code != httpx2.codes.OK:
                raise ToolFailed(f"The file {requested.name!r} cannot be fetched (HTTP {response.status_code})")
            for chunk in response.iter_raw(_CHUNK):
                size += len(chunk)
                if size > requested.size:
                    break
                file.write(chunk)
    except httpx2.HTTPError as error:
        # Show only the error's type: its text can contain the presigned URL, which gives access to the file.
        raise ToolFailed(f"The file {requested.name!r} cannot be fetched ({type(error).__name__})") from None
    if size != requested.size:
        raise ToolFailed(
            f"The file {requested.name!r} should have {requested.size} bytes, but the download has {size} or more"
        )
    if target.is_dir() and not target.is_symlink():
        remove_tree(target)
    partial.rename(target)
    return _state(target, requested.etag)


def _checked_name(name: str) -> str:
    if "/" in name or "\0" in name or name in {"", ".", ".."}:
        raise ToolFailed(f"{name!r} is not a valid file name")
    return name


def _real_directory(path: Path) -> Path:
    """Create a directory if it is missing, and return its path. Replace a link or file at this path."""
    if os.path.lexists(path) and (path.is_symlink() or not path.is_dir()):
        path.unlink()
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def _state(path: Path, etag: str) -> _FetchedFile:
    status = path.lstat()
    return _FetchedFile(etag=etag, inode=status.st_ino, changed=status.st_ctime_ns)


def _read_state(state_file: Path) -> dict[str, _FetchedFile]:
    """Return the stored states of the input files, or an empty dict if a tool removed or damaged the state file."""
    try:
        return _FETCHED_FILES.validate_json(state_file.read_bytes())
    except (OSError, ValidationError):
        return {}


def _create(path: Path) -> int:
    # O_EXCL fails if a tool has put a file or a link at this path. It follows no links.
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)


def _write_new(path: Path, data: bytes) -> None:
    with os.fdopen(_create(path), "wb") as file:
        file.write(data)


def list_files(workspace: Path) -> dict[str, FileState]:
    """Return the states of regular files by path relative to ``workspace``: at most 10,000 files, 20 folders deep.

    Skip files and folders whose name begins with a dot. Input files are listed, because a tool may edit them.
    """
    states: dict[str, FileState] = {}
    for path, state in _files(workspace):
        states[path] = state
        if len(states) >= _MAX_FILES:
            break
    return states


def _files(workspace: Path) -> Iterator[tuple[str, FileState]]:
    folders = [""]
    while folders:
        folder = folders.pop()
        for entry in _entries(f"{workspace}/{folder}"):
            path = f"{folder}{entry.name}"
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                if path.count("/") < _MAX_DEPTH:
                    folders.append(f"{path}/")
            elif entry.is_file(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                yield path, FileState(size=status.st_size, changed=status.st_mtime_ns, inode=status.st_ino)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """Return the sorted entries of a folder, or an empty list if a tool removed the folder or its permissions."""
    try:
        return sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return []


@contextmanager
def open_artifact(path: str, workspace: Path, max_bytes: int) -> Iterator[IO[bytes]]:
    """Open a regular file of at most ``max_bytes`` in ``workspace``. ``path`` is absolute or relative to ``workspace``.

    Opens each folder relative to its parent's descriptor, so symbolic links are never followed. Raise InvalidPath if
    the file is outside the workspace, a link, not regular, hard-linked, or owned by another user. Raise InvalidArtifact
    if the file does not exist, or FileTooLarge if it exceeds ``max_bytes``.
    """
    fd = _open_beneath(path, workspace)
    try:
        _check_file(os.fstat(fd), path, workspace, max_bytes)
        with os.fdopen(fd, "rb", closefd=False) as file:
            yield file
    finally:
        os.close(fd)


def _check_file(status: os.stat_result, path: str, workspace: Path, max_bytes: int) -> None:
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1 or status.st_uid != os.geteuid():
        raise _invalid_path(path, workspace)
    if status.st_size > max_bytes:
        raise FileTooLarge(file_size_bytes=status.st_size, current_limit_bytes=max_bytes)


def _open_beneath(path: str, workspace: Path) -> int:
    *folders, name = _components(path, workspace)
    directory = os.open(workspace, _OPEN_DIRECTORY)
    try:
        for folder in folders:
            inner = os.open(folder, _OPEN_DIRECTORY, dir_fd=directory)
            os.close(directory)
            directory = inner
        return os.open(name, _OPEN_FILE, dir_fd=directory)
    except FileNotFoundError:
        raise InvalidArtifact(name=path, problem="there is no such file") from None
    except OSError as error:
        raise _invalid_path(path, workspace) from error
    finally:
        os.close(directory)


def _components(path: str, workspace: Path) -> tuple[str, ...]:
    """Return the path's components below ``workspace``. Resolves ``..`` without file access: links are not allowed."""
    if "\0" in path:
        raise _invalid_path(path, workspace)
    absolute = Path(os.path.normpath(workspace / path))
    if absolute == workspace or not absolute.is_relative_to(workspace):
        raise _invalid_path(path, workspace)
    return absolute.relative_to(workspace).parts


def _invalid_path(path: str, workspace: Path) -> ToolError:
    return InvalidPath(attempted_path=path.replace("\0", "\\0"), allowed_prefix=f"{workspace}/")
