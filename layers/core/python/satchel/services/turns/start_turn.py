"""Start a turn: store the user's message and start the Step Functions execution that answers it."""

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from satchel.domain.errors import FileNotFound, SessionNotFound, TooLarge, TurnRunning, UnknownTools
from satchel.domain.events import NewEvent
from satchel.domain.ids import SessionId, new_id
from satchel.domain.llm import ModelCatalog
from satchel.domain.sessions import Turn
from satchel.domain.users import Identity
from satchel.ports.files import Files
from satchel.ports.sessions import Sessions
from satchel.ports.system import Clock
from satchel.ports.turns import Events, Turns, Workflow
from satchel.services.files.read_files import find_file
from satchel.services.tools.tool_lists import ListTools
from satchel.services.turns.finish_turn import EndStuckTurn

logger = logging.getLogger(__name__)

_MAX_NAMES = 100
_Name = Annotated[str, Field(max_length=4096)]
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_ESCAPE_BYTES = 5  # a control character has 1 byte in the message, but 6 bytes in the stored JSON


class TurnRequest(BaseModel):
    """A user's message. ``tools`` limits which tools the model may call; ``files`` are names or keys of files."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"message": "Summarise my sales", "files": ["sales.csv"], "tools": ["report"]}]}
    )

    message: Annotated[str, Field(min_length=1)]
    tools: Annotated[list[_Name] | None, Field(max_length=_MAX_NAMES)] = None
    files: Annotated[list[_Name], Field(max_length=_MAX_NAMES)] = []


@dataclass(frozen=True)
class StartTurn:
    """Store a turn and start its execution. Both steps are idempotent, so clients can repeat a request."""

    sessions: Sessions
    turns: Turns
    files: Files
    events: Events
    workflow: Workflow
    end_stuck: EndStuckTurn
    tools: ListTools
    models: ModelCatalog
    clock: Clock
    entropy: Callable[[int], bytes]
    max_message_bytes: int
    persist_files_across_sessions: bool
    max_turns_per_minute: int

    def __call__(
        self, who: Identity, session_id: SessionId, request: TurnRequest, idempotency_key: str | None = None
    ) -> Turn:
        """Start a turn and return it. If ``idempotency_key`` was used before, return the turn that it started.

        Raise TooLarge, UnknownTools, UnknownModel, FileNotFound, SessionNotFound, SessionEnded, TurnRunning,
        IdempotencyKeyReused, TooManyTurns or ErasureRunning.
        """
        self._check_message(request.message)
        self._check_tools(who, request.tools)
        now = self.clock.now()
        turn = Turn(
            turn_id=new_id("t", now, self.entropy(10)),
            session_id=session_id,
            user=who.name,
            groups=sorted(who.groups),
            model=self._model(who, session_id),
            message=request.message,
            tools=request.tools,
            files=[self._file_key(who, session_id, file) for file in request.files],
            created_at=now,
        )
        turn = self._begin(turn, idempotency_key)
        self.events.append(
            turn.turn_id, NewEvent(type="turn_started", payload={"session_id": session_id}, dedupe_key="start")
        )
        logger.info("turn started", extra={"correlation_id": turn.turn_id, "session_id": session_id})
        if not turn.has_ended:
            self.workflow.start(turn.user, session_id, turn.turn_id)
        return turn

    def _begin(self, turn: Turn, idempotency_key: str | None) -> Turn:
        """Store the turn and lock the session. If a stuck turn holds the lock, end the stuck turn first."""
        try:
            return self.turns.begin(turn, idempotency_key, self.max_turns_per_minute)
        except TurnRunning as running:
            other = self.turns.get(turn.session_id, running.turn_id)
            if other is None or not self.end_stuck(other).has_ended:
                raise
        return self.turns.begin(turn, idempotency_key, self.max_turns_per_minute)

    def _model(self, who: Identity, session_id: SessionId) -> str:
        """Return the name of the session's model. Raise UnknownModel if the user may no longer use the model."""
        session = self.sessions.get(who.name, session_id)
        if session is None:
            raise SessionNotFound(session_id)
        return self.models.choose(who.groups, session.model).name

    def _check_message(self, message: str) -> None:
        size = len(message.encode()) + _ESCAPE_BYTES * len(_CONTROLS.findall(message))
        if size > self.max_message_bytes:
            raise TooLarge(
                f"The message has {size} bytes; {self.max_message_bytes} are allowed. Send long text as a file.",
                limit_bytes=self.max_message_bytes,
            )

    def _check_tools(self, who: Identity, tools: list[str] | None) -> None:
        if not tools:
            return
        available = self.tools.names(who.groups)
        if unknown := [tool for tool in tools if tool not in available]:
            raise UnknownTools(f"There is no such tool or server: {', '.join(unknown)}", unknown=unknown)

    def _file_key(self, who: Identity, session_id: SessionId, name_or_key: str) -> str:
        persist, now = self.persist_files_across_sessions, self.clock.now()
        record = find_file(self.files, who.name, session_id, name_or_key, now, across_sessions=persist)
        if record is None:
            raise FileNotFound(name_or_key)
        return record.file_key
