"""People's corners in a directory of the test."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from satchel.contract.errors import FileTooLarge, InvalidArtifact, InvalidPath, ToolFailed
from satchel.domain.ids import SessionId, UserName
from satchel.ports.runners import FileState, InputFile
from tests.fakes.file_store import FakeFileStore


class FakeWorkspaces:
    """Implements ``ports.tool_client.Workspaces`` below ``base``; ``held`` are the people whose corner is in use now."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.held: list[str] = []
        self.holds: list[tuple[str, str]] = []
        self._left_by: dict[str, str] = {}

    @contextmanager
    def hold(self, user: UserName, session_id: SessionId) -> Iterator[Path]:
        assert user not in self.held, "one thread would wait for itself for ever"
        workspace = self.base / user
        if self._left_by.get(user) != session_id:
            shutil.rmtree(workspace, ignore_errors=True)
        workspace.mkdir(exist_ok=True)
        self._left_by[user] = session_id
        self.holds.append((user, session_id))
        self.held.append(user)
        try:
            yield workspace
        finally:
            self.held.remove(user)


class FakeInputFetcher:
    """Implements ``ports.runners.InputFetcher`` over the fake store's links."""

    def __init__(self, store: FakeFileStore) -> None:
        self._store = store

    def __call__(self, inputs: Sequence[InputFile], workspace: Path) -> None:
        for wanted in inputs:
            try:
                body = self._store.fetch(wanted.url)
            except KeyError:
                raise ToolFailed(f"The file {wanted.name!r} cannot be fetched (HTTP 404)") from None
            (workspace / "input_files").mkdir(exist_ok=True)
            (workspace / "input_files" / wanted.name).write_bytes(body)


@contextmanager
def open_inside(path: str, workspace: Path, max_bytes: int) -> Iterator[BufferedReader]:
    """Implement ``ports.runners.ArtifactOpener`` for files that lie still."""
    whole = (workspace / path).resolve()
    if not whole.is_relative_to(workspace.resolve()) or (workspace / path).is_symlink() or whole.is_dir():
        raise InvalidPath(attempted_path=path, allowed_prefix=f"{workspace}/")
    if not whole.exists():
        raise InvalidArtifact(path, "there is no such file")
    if (size := whole.stat().st_size) > max_bytes:
        raise FileTooLarge(file_size_bytes=size, current_limit_bytes=max_bytes)
    with whole.open("rb") as file:
        yield file


def list_made(workspace: Path) -> dict[str, FileState]:
    """Implement ``ports.runners.FileLister`` for small directories."""
    found = (path.relative_to(workspace) for path in workspace.rglob("*") if path.is_file() and not path.is_symlink())
    own = [path for path in found if path.parts[0] != "input_files" and not any(p.startswith(".") for p in path.parts)]
    states = {str(path): (workspace / path).stat() for path in own}
    return {
        path: FileState(size=state.st_size, changed=state.st_mtime_ns, inode=state.st_ino)
        for path, state in states.items()
    }
