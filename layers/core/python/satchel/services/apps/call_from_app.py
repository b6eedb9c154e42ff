"""Call a tool for an app: a turn of its own, with one call and without a model, in the same state machine.

So the call passes the same checks as the calls of models, and its approvals, questions, files, limits and audit entries
are the same. It does not lock the session, and is no part of the conversation.
"""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from satchel.contract.jsonable import JsonObject
from satchel.domain.calls import Call
from satchel.domain.conversation import ProposedCall
from satchel.domain.errors import AppNotFound, NotAllowed, TooLarge, TurnNotFound
from satchel.domain.ids import APP_TURN, FileKey, IdBody, SessionId, TurnId, call_id, is_from_app, new_id_body
from satchel.domain.sessions import Turn
from satchel.domain.users import Identity
from satchel.ports.calls import Calls
from satchel.ports.storage import FileStore
from satchel.ports.system import Clock
from satchel.ports.turns import Turns, TurnStarter
from satchel.services.apps.read_app import AppFile, ReadApp, files_of_call, read_state
from satchel.services.turns.read_turn import ReadTurn

logger = logging.getLogger(__name__)


class AppCallRequest(BaseModel):
    """A call that an app makes. ``tool`` is a tool of the app's own server, without the server's name."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"tool": "rows", "arguments": {"first": 100}}]}
    )

    tool: Annotated[str, Field(min_length=1, max_length=200)]
    arguments: JsonObject = {}


class AppCallResult(BaseModel):
    """A call of an app. ``result`` is what the server sent, or an error; None while the call runs.

    The app may read the ``files`` of its calls.

    Follow the turn ``turn_id`` for its events, approvals and questions.
    """

    turn_id: TurnId
    session_id: SessionId
    result: dict[str, Any] | None = None
    files: list[AppFile] = []


@dataclass(frozen=True)
class CallFromApp:
    """Start the calls of apps. Dispatch decides whether they may run."""

    read: ReadApp
    turns: Turns
    starter: TurnStarter
    clock: Clock
    entropy: Callable[[int], bytes]
    max_per_minute: int
    max_bytes: int

    def __call__(
        self,
        who: Identity,
        file_key: FileKey,
        version: int | None,
        request: AppCallRequest,
        id_body: IdBody | None = None,
    ) -> Turn:
        """Start a call of a version of an app, and return its turn. If the turn (``id_body``) exists, return that one.

        Raise FileNotFound, AppNotFound, NotAllowed for a tool of another server, TooLarge, SessionEnded, TooManyTurns
        or ErasureRunning.
        """
        _, opened = self.read.find(who, file_key, version)
        if opened is None:
            raise AppNotFound(file_key)
        arguments = json.dumps(request.arguments, ensure_ascii=False)
        if len(arguments.encode()) > self.max_bytes:
            raise TooLarge(f"The arguments may have at most {self.max_bytes} bytes.", limit_bytes=self.max_bytes)
        now = self.clock.now()
        turn = Turn(
            turn_id=TurnId(f"{APP_TURN}{id_body or new_id_body(now, self.entropy(10))}"),
            session_id=opened.session_id,
            user=who.name,
            groups=sorted(who.groups),
            message="",
            prepared=[ProposedCall(tool=self._tool(opened, request.tool), arguments=arguments, ref="")],
            created_at=now,
        )
        stored = self.turns.get(turn.session_id, turn.turn_id) if id_body else None
        if stored is None:
            self.turns.begin_for_app(turn, self.max_per_minute)
        elif stored.has_ended:
            return stored
        logger.info("app call started", extra={"correlation_id": turn.turn_id, "file_key": file_key})
        self.starter.start(turn.user, turn.session_id, turn.turn_id)
        return turn

    def _tool(self, opened: Call, name: str) -> str:
        """Return the full name of a tool of the app's server. Raise NotAllowed if it is not that server's."""
        registry = self.read.tools.registry
        place = registry.split_tool_name(opened.tool)
        if place is None:
            server = opened.tool.rpartition(".")[0]
            raise NotAllowed(f"The app can call no tools: there is no server {server!r} any more.")
        if registry.split_tool_name(f"{place[0]}.{name}") != (place[0], name):
            raise NotAllowed("An app may call only the tools of its own server.")
        return f"{place[0]}.{name}"


@dataclass(frozen=True)
class ReadAppCall:
    """Read the results of the calls of apps."""

    read_turn: ReadTurn
    calls: Calls
    store: FileStore

    def __call__(self, who: Identity, session_id: SessionId, turn_id: TurnId) -> AppCallResult:
        """Return a call. Raise SessionNotFound or TurnNotFound."""
        if not is_from_app(turn_id):
            raise TurnNotFound(turn_id)
        turn = self.read_turn.find_current(who, session_id, turn_id)
        answer = AppCallResult(turn_id=turn.turn_id, session_id=turn.session_id)
        if not turn.has_ended:
            return answer
        call = self.calls.get(turn_id, call_id(turn_id, 0, 0))
        state = read_state(self.store, turn.user, call.call_id) if call and call.result else None
        result = state.result if state else _error(turn, call)
        return answer.model_copy(update={"result": result, "files": files_of_call(call) if call else []})


def _error(turn: Turn, call: Call | None) -> dict[str, Any]:
    """Return the result of a call that the tool did not end."""
    text = turn.error.message if turn.error else "The call has no result."
    results = call.result.results if call and call.result else None
    if isinstance(results, dict) and isinstance(results.get("error"), str):
        text = results["error"]
    return {"content": [{"type": "text", "text": text}], "isError": True}
