"""Find, read and cancel a user's turns, and read their events. Another user's turn counts as missing."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from satchel.domain.calls import MAX_INLINE_BYTES, Call
from satchel.domain.errors import SessionNotFound, TurnNotFound
from satchel.domain.events import Event
from satchel.domain.files import FileRecord, is_expired
from satchel.domain.ids import SessionId, TurnId, UserName
from satchel.domain.inputs import OpenInput
from satchel.domain.response_composition import compose_response
from satchel.domain.responses import FinalResponse, ResponseArtifact, ResponseCanvas, ResponseDeferred
from satchel.domain.sessions import Turn, TurnStatus
from satchel.domain.steps import TurnStep
from satchel.domain.users import Identity
from satchel.ports.calls import Calls
from satchel.ports.files import Files
from satchel.ports.sessions import Sessions
from satchel.ports.storage import FileStore
from satchel.ports.system import Clock
from satchel.ports.turns import Events, Inputs, Turns, Workflow
from satchel.services.files.links import MintLinks
from satchel.services.turns.dashboard_tokens import DashboardTokens
from satchel.services.turns.finish_turn import Ending, EndStuckTurn, FinishTurn
from satchel.services.turns.turn_events import is_fully_read, list_events

MAX_EVENTS = 200


@dataclass(frozen=True)
class ReadTurn:
    """Read a turn, with new links to its files. If the turn is stuck, end it, so that no turn stays open forever."""

    sessions: Sessions
    turns: Turns
    calls: Calls
    files: Files
    events: Events
    inputs: Inputs
    end_stuck: EndStuckTurn
    links: MintLinks
    dashboard_tokens: DashboardTokens
    store: FileStore
    clock: Clock

    def find(self, who: Identity, session_id: SessionId, turn_id: TurnId) -> Turn:
        """Return the turn if it belongs to the user. Raise SessionNotFound or TurnNotFound."""
        return find_turn(self.sessions, self.turns, who.name, session_id, turn_id)

    def find_current(self, who: Identity, session_id: SessionId, turn_id: TurnId) -> Turn:
        """Return the turn whose events a client will follow. End a stuck turn, so that it gets a last event."""
        return self.end_stuck(self.find(who, session_id, turn_id))

    def reload(self, turn: Turn) -> Turn:
        """Read the turn again and return its current state. ``turn`` comes from ``find``, so access is not checked."""
        return self.turns.get(turn.session_id, turn.turn_id) or turn

    def __call__(self, who: Identity, session_id: SessionId, turn_id: TurnId) -> FinalResponse:
        """Return the turn's response so far, with download links that are valid for five minutes."""
        turn = self.end_stuck(self.find(who, session_id, turn_id))
        calls = [] if turn.imported else self.calls.list(turn_id)
        inline = {file_key for call in calls if call.result for file_key in call.result.inline}
        response = self._with_links(turn, compose_response(turn, calls), inline)
        tool_tokens = _tool_tokens(calls)
        canvases = [self._with_token(turn, canvas, tool_tokens) for canvas in response.canvases]
        open_inputs = [] if turn.has_ended else find_open_inputs(self.inputs, self.clock, turn_id)
        return response.model_copy(
            update={"canvas": canvases[-1] if canvases else None, "canvases": canvases, "inputs": open_inputs}
        )

    def describe(self, turn: Turn) -> FinalResponse:
        """Return the response of a turn with download links, but without contents of files and tokens of dashboards.

        ``turn`` comes from the list of a session, so access is not checked.
        """
        return self._with_links(
            turn, compose_response(turn, [] if turn.imported else self.calls.list(turn.turn_id)), ()
        )

    def events_after(self, turn: Turn, after: int) -> Sequence[Event]:
        """Return the next events after the cursor ``after``. ``turn`` comes from ``find``, so access is not checked."""
        return list_events(self.events, turn, after, MAX_EVENTS)

    def is_fully_read(self, turn: Turn, after: int) -> bool:
        """Return True if a client with the cursor ``after`` has received all events of the ended turn."""
        return is_fully_read(self.events, turn, after)

    def _with_links(self, turn: Turn, response: FinalResponse, inline: Collection[str]) -> FinalResponse:
        artifacts = [self._with_link(turn, artifact, inline) for artifact in response.artifacts]
        deferred = [
            file.model_copy(update={"download_url": self._link(self._version(turn, file))})
            for file in response.deferred_artifacts
        ]
        return response.model_copy(update={"artifacts": artifacts, "deferred_artifacts": deferred})

    def _with_token(
        self, turn: Turn, canvas: ResponseCanvas, tool_tokens: Mapping[tuple[str, str], str | None]
    ) -> ResponseCanvas:
        token = self.dashboard_tokens(turn.user, turn.session_id, canvas, tool_tokens.get((canvas.id, canvas.url)))
        return canvas.model_copy(update={"token": token})

    def _with_link(self, turn: Turn, artifact: ResponseArtifact, inline: Collection[str]) -> ResponseArtifact:
        record = self._version(turn, artifact)
        added: dict[str, str | None] = {"download_url": self._link(record)}
        if record and artifact.file_key in inline and record.size <= MAX_INLINE_BYTES:
            text = self.store.read(record.key, MAX_INLINE_BYTES)
            added["content"] = None if text is None else text.decode(errors="replace")
        return artifact.model_copy(update=added)

    def _version(self, turn: Turn, file: ResponseArtifact | ResponseDeferred) -> FileRecord | None:
        return self.files.get_version(turn.user, file.file_key, file.version)

    def _link(self, record: FileRecord | None) -> str | None:
        """Return a link to the file version, or None if the file is deleted or expired."""
        return self.links(record) if record and not is_expired(record, self.clock.now()) else None


def _tool_tokens(calls: Sequence[Call]) -> Mapping[tuple[str, str], str | None]:
    """Return the tokens that tools set, by dashboard id and URL. The URL ensures that no other host gets a token."""
    results = [call.result for call in calls if call.result]
    return {(result.canvas.id, result.canvas.url): result.canvas_token for result in results if result.canvas}


@dataclass(frozen=True)
class CancelTurn:
    """Cancel a running turn. Idempotent. A running tool is killed within about a second."""

    read: ReadTurn
    workflow: Workflow
    finish: FinishTurn

    def __call__(self, who: Identity, session_id: SessionId, turn_id: TurnId) -> TurnStatus:
        """Cancel the turn if it is running, and return its status. Raise SessionNotFound or TurnNotFound."""
        turn = self.read.find(who, session_id, turn_id)
        # Store the end before stopping the execution: the stop triggers a rule that would end the turn as failed.
        step = TurnStep(user=turn.user, session_id=session_id, turn_id=turn_id)
        status = turn.status if turn.has_ended else self.finish(step, Ending.CANCELLED)
        if status is None:  # deleted since it was found
            raise TurnNotFound(turn_id)
        if status is TurnStatus.CANCELLED:
            self.workflow.stop(turn_id, "cancelled by the user")
        return status


def find_turn(sessions: Sessions, turns: Turns, user: UserName, session_id: SessionId, turn_id: TurnId) -> Turn:
    """Return the turn if it belongs to the user. Raise SessionNotFound or TurnNotFound."""
    if sessions.get(user, session_id) is None:
        raise SessionNotFound(session_id)
    turn = turns.get(session_id, turn_id)
    if turn is None or turn.user != user:
        raise TurnNotFound(turn_id)
    return turn


def find_open_inputs(inputs: Inputs, clock: Clock, turn_id: TurnId) -> list[OpenInput]:
    """Return the questions of a running turn that the user can answer now."""
    now = clock.now()
    return [each for questions in inputs.list(turn_id) for each in questions.open_inputs(now)]
