"""Read an app with everything that its frame needs. It opens from what is stored, so its server need not run."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from satchel.contract import is_app, safe_name
from satchel.domain import arguments as args
from satchel.domain.apps import MAX_STATE_BYTES, AppState, app_file_name, state_key
from satchel.domain.calls import Call
from satchel.domain.conversation import ToolSpec
from satchel.domain.errors import AppNotFound
from satchel.domain.files import FileRecord, is_expired
from satchel.domain.ids import CALL_ID, CallId, FileKey, SessionId, TurnId, UserName, turn_of
from satchel.domain.users import Identity
from satchel.ports.calls import Calls
from satchel.ports.storage import FileStore
from satchel.services.files.read_files import ReadFiles
from satchel.services.tools.tool_lists import ListTools

_CALL_ID = re.compile(CALL_ID)
_MAX_STORED_BYTES = 2 * MAX_STATE_BYTES
_MAX_KEPT_PAGES = 5


class AppFile(BaseModel):
    """A file of a call that the app of the call may read: a file that the arguments name, or one that the tool made.

    ``GET /api/files/{file_key}`` returns a link to it.
    """

    file_key: FileKey
    version: int
    name: str
    mime: str
    size: int
    role: Literal["input", "result"]


class OpenApp(BaseModel):
    """An app, with the arguments and the result of the call that opened it. Its page is the file ``file_key``.

    ``arguments`` are those that the tool got. ``tool`` is None if the user's servers do not
    offer it any more. ``call_id`` is None if the session of the call was deleted; then the app can make no calls.
    """

    file_key: FileKey
    version: int
    session_id: SessionId | None
    turn_id: TurnId | None
    call_id: CallId | None
    tool_name: str
    tool: ToolSpec | None
    arguments: dict[str, Any]
    state: AppState
    files: list[AppFile] = []


class StartedApp(BaseModel):
    """The app of a call that has started, without its result; None if no page of the app is kept."""

    open_app: OpenApp | None


@dataclass(frozen=True)
class ReadApp:
    """Read apps. An app of another user raises the same error as a missing one."""

    read: ReadFiles
    calls: Calls
    tools: ListTools
    store: FileStore

    def __call__(self, who: Identity, file_key: FileKey, version: int | None = None) -> OpenApp:
        """Return a version of an app, by default the newest. Raise FileNotFound, or AppNotFound for other files."""
        record, call = self.find(who, file_key, version)
        state = read_state(self.store, record.user, CallId(record.origin))
        if state is None or state.uri is None:
            raise AppNotFound(file_key)
        arguments = (call.injected or args.parse_or_text(call.arguments)) if call else {}
        return OpenApp(
            file_key=record.file_key,
            version=record.version,
            session_id=call.session_id if call else None,
            turn_id=call.turn_id if call else None,
            call_id=call.call_id if call else None,
            tool_name=call.tool if call else record.name,
            tool=self._tool(who, call) if call else None,
            arguments=arguments if isinstance(arguments, dict) else {},
            state=state,
            files=files_of_call(call) if call else [],
        )

    def of_running_call(self, who: Identity, session_id: SessionId, turn_id: TurnId, call_id: CallId) -> OpenApp | None:
        """Return the app of a call that has started, without a result: the page that an earlier call has left, if any.

        Raise AppNotFound if there is no such call, or if it has not passed the checks of dispatch: before them, no
        server gets the arguments.
        """
        call = self.calls.get(turn_id, call_id)
        if call is None or (call.user, call.session_id) != (who.name, session_id) or call.injected is None:
            raise AppNotFound(call_id)
        tool = self._tool(who, call)
        for record in self._kept_pages(call, tool) if tool else ():
            _, earlier = self.find(who, record.file_key, record.version)
            state = read_state(self.store, record.user, CallId(record.origin))
            if tool and state and earlier and (earlier.tool, state.uri) == (call.tool, tool.app_uri):
                return OpenApp(
                    file_key=record.file_key,
                    version=record.version,
                    session_id=call.session_id,
                    turn_id=call.turn_id,
                    call_id=call.call_id,
                    tool_name=call.tool,
                    tool=tool,
                    arguments=call.injected,
                    state=state.model_copy(update={"result": {}}),
                )
        return None

    def _kept_pages(self, call: Call, tool: ToolSpec) -> Iterator[FileRecord]:
        """Yield the newest pages of apps of tools with this name."""
        records = self.read.files.list_by_name(call.user, call.session_id, safe_name(app_file_name(tool.name)))
        now = self.read.clock.now()
        return (each for each in islice(records, _MAX_KEPT_PAGES) if is_app(each.mime) and not is_expired(each, now))

    def origin(self, who: Identity, file_key: FileKey) -> tuple[SessionId, str]:
        """Return the session and the tool of an app, for a file that the app creates. Raise like ``__call__``."""
        _, call = self.find(who, file_key, None)
        if call is None:
            raise AppNotFound(file_key)
        return call.session_id, call.tool

    def find(self, who: Identity, file_key: FileKey, version: int | None) -> tuple[FileRecord, Call | None]:
        """Return the file of an app and the call that opened it, None if it is deleted. Raise like ``__call__``."""
        record = self.read(who, file_key, version)
        if not is_app(record.mime) or not _CALL_ID.fullmatch(record.origin):
            raise AppNotFound(file_key)
        call = self.calls.get(TurnId(turn_of(record.origin)), CallId(record.origin))
        return record, call if call and call.user == who.name else None

    def _tool(self, who: Identity, call: Call) -> ToolSpec | None:
        tools = (tool for server in self.tools(who.groups) for tool in server.tools or [])
        return next((tool for tool in tools if tool.full_name == call.tool), None)


def files_of_call(call: Call) -> list[AppFile]:
    """Return the files that the arguments of a call name and those that its tool made, without pages of apps."""
    made = call.result.files if call.result else []
    versions = [(each, "input") for each in call.inputs] + [(each, "result") for each in made if not is_app(each.mime)]
    return [
        AppFile(file_key=file.file_key, version=file.version, name=file.name, mime=file.mime, size=file.size, role=role)
        for file, role in versions
    ]


def read_state(store: FileStore, user: UserName, call_id: CallId) -> AppState | None:
    """Return the state that a call has left for an app, or None. A runner wrote it, so it may be anything."""
    try:
        text = store.read(state_key(user, call_id), _MAX_STORED_BYTES)
        return None if text is None else AppState.model_validate_json(text).bounded()
    except (ValidationError, ValueError):
        return None
