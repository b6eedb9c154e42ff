"""Fakes around a runner: recorded orders, readable credentials, argument checks, tool lists and workspaces."""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any

from satchel.contract.errors import FileTooLarge, InvalidArtifact, InvalidPath, ToolFailed
from satchel.domain.conversation import ToolSpec
from satchel.domain.errors import Unavailable
from satchel.domain.ids import CallId, SessionId, UserName
from satchel.domain.resources import OfferAnswer, OfferRequest
from satchel.domain.tools import StoredToolList, ToolListing
from satchel.ports.runners import CallOrder, Conversation, FileState, InputFile, RunnerAnswer, ScopedCredentials
from satchel.ports.tool_client import ServerSession
from tests.fakes.storage import FakeFileStore

if TYPE_CHECKING:
    from satchel.domain.isolation import Level


def _answer_late(_order: CallOrder) -> None:
    raise TimeoutError


class FakeRunners:
    """Implements ``ports.runners.Runners``. Records the orders. A server that is not in ``tools`` does not start.

    ``isolation_levels`` are the levels that runners report, by server. ``on_run`` runs a call and returns the
    answer; by default, tools are slow, so no answer arrives.
    """

    def __init__(self, tools: Mapping[str, Sequence[ToolSpec]]) -> None:
        self.tools = dict(tools)
        self.orders: list[tuple[str, CallOrder]] = []
        self.listed_servers: list[str] = []
        self.ended_sessions: list[tuple[str, str, ServerSession]] = []
        self.cancelled_tasks: list[tuple[str, str, str, ServerSession | None]] = []
        self.on_run: Callable[[CallOrder], RunnerAnswer | None] = _answer_late
        self.isolation_levels: dict[str, Level] = {}
        self.legacy: set[str] = set()
        self.answer = OfferAnswer()
        self.offer_requests: list[tuple[str, str, OfferRequest]] = []

    def run(self, server: str, order: CallOrder) -> RunnerAnswer | None:
        self.orders.append((server, CallOrder.model_validate_json(order.model_dump_json())))
        return self.on_run(order)

    def end_session(self, server: str, user: UserName, session: ServerSession) -> None:
        self.ended_sessions.append((server, user, session))

    def cancel_task(self, server: str, user: UserName, task_id: str, session: ServerSession | None) -> None:
        self.cancelled_tasks.append((server, user, task_id, session))

    def list_tools(self, server: str) -> ToolListing:
        self.listed_servers.append(server)
        if server not in self.tools:
            raise Unavailable(f"The server '{server}' did not start: no such program")
        return ToolListing(
            tools=list(self.tools[server]),
            isolation_level=self.isolation_levels.get(server),
            is_legacy=server in self.legacy,
        )

    def read_offer(self, server: str, user: UserName, request: OfferRequest) -> OfferAnswer:
        self.offer_requests.append((server, user, request))
        return self.answer


class FakeCredentials:
    """Implements ``ports.runners.CredentialSource``. The credentials contain what they are for.

    ``on_request`` is called for each request.
    """

    def __init__(self) -> None:
        self.conversations: list[Conversation | None] = []
        self.on_request: Callable[[], None] = lambda: None

    def for_call(
        self,
        call_id: CallId,
        objects_prefixes: Sequence[str],
        outcome_key: str,
        conversation: Conversation | None = None,
    ) -> ScopedCredentials:
        self.conversations.append(conversation)
        self.on_request()
        return ScopedCredentials(
            access_key_id=call_id, secret_access_key=" ".join(objects_prefixes), session_token=outcome_key
        )


_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "array": list,
    "object": dict,
    "boolean": bool,
}


class FakeSchemaChecker:
    """Implements ``ports.runners.SchemaChecker`` for required, typed and additional fields."""

    def find_problems(self, schema: dict[str, Any], value: dict[str, Any]) -> list[str]:
        fields = schema.get("properties", {})
        missing = [f"{name} is missing" for name in schema.get("required", []) if name not in value]
        wrong_type = [
            f"{name} is no {fields[name]['type']}"
            for name, value in value.items()
            if "type" in fields.get(name, {}) and not isinstance(value, _TYPES[fields[name]["type"]])
        ]
        strict = schema.get("additionalProperties") is False
        additional = [f"{name} is not expected" for name in value if strict and name not in fields]
        return missing + wrong_type + additional


class FakeToolLists:
    """Implements ``ports.runners.ToolLists``."""

    def __init__(self) -> None:
        self._tool_lists: dict[tuple[str, str], StoredToolList] = {}

    def get(self, server: str, config_hash: str) -> StoredToolList | None:
        return self._tool_lists.get((server, config_hash))

    def get_many(self, config_hashes: Mapping[str, str], version: int | None = None) -> Mapping[str, StoredToolList]:
        del version
        stored = {server: self.get(server, config_hash) for server, config_hash in config_hashes.items()}
        return {server: tool_list for server, tool_list in stored.items() if tool_list}

    def save(self, server: str, config_hash: str, tool_list: StoredToolList) -> None:
        self._tool_lists[server, config_hash] = tool_list.model_copy(deep=True)


class FakeWorkspaces:
    """Implements ``ports.tool_client.Workspaces`` below ``base``. ``held``: the users whose workspace is in use."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.locked_users: list[str] = []
        self.acquisitions: list[tuple[str, str]] = []
        self._last_session: dict[str, str] = {}

    @contextmanager
    def hold(self, user: UserName, session_id: SessionId) -> Iterator[Path]:
        assert user not in self.locked_users, "the thread would deadlock"
        workspace = self.base / user
        if self._last_session.get(user) != session_id:
            shutil.rmtree(workspace, ignore_errors=True)
        workspace.mkdir(exist_ok=True)
        self._last_session[user] = session_id
        self.acquisitions.append((user, session_id))
        self.locked_users.append(user)
        try:
            yield workspace
        finally:
            self.locked_users.remove(user)


class FakeInputFetcher:
    """Implements ``ports.runners.InputFetcher`` for the URLs of a ``FakeFileStore``."""

    def __init__(self, store: FakeFileStore) -> None:
        self._store = store

    def __call__(self, inputs: Sequence[InputFile], workspace: Path) -> None:
        for file in inputs:
            try:
                body = self._store.fetch(file.url)
            except KeyError:
                raise ToolFailed(f"The file {file.name!r} cannot be fetched (HTTP 404)") from None
            (workspace / "input_files").mkdir(exist_ok=True)
            (workspace / "input_files" / file.name).write_bytes(body)


@contextmanager
def open_artifact(path: str, workspace: Path, max_bytes: int) -> Iterator[BufferedReader]:
    """Implement ``ports.runners.ArtifactOpener`` for files that do not change."""
    resolved = (workspace / path).resolve()
    if not resolved.is_relative_to(workspace.resolve()) or (workspace / path).is_symlink() or resolved.is_dir():
        raise InvalidPath(attempted_path=path, allowed_prefix=f"{workspace}/")
    if not resolved.exists():
        raise InvalidArtifact(path, "there is no such file")
    if (size := resolved.stat().st_size) > max_bytes:
        raise FileTooLarge(file_size_bytes=size, current_limit_bytes=max_bytes)
    with resolved.open("rb") as file:
        yield file


def list_files(workspace: Path) -> dict[str, FileState]:
    """Implement ``ports.runners.FileLister`` for small workspaces."""
    files = (path.relative_to(workspace) for path in workspace.rglob("*") if path.is_file() and not path.is_symlink())
    listed = [path for path in files if not any(part.startswith(".") for part in path.parts)]
    states = {str(path): (workspace / path).stat() for path in listed}
    return {
        path: FileState(size=state.st_size, changed=state.st_mtime_ns, inode=state.st_ino)
        for path, state in states.items()
    }
