"""Read a turn as its owner sees it: what there is so far, with fresh links.

Find a turn for a person; somebody else's is not found, in the very words for one that is not there.

Whether somebody has seen all of an ended turn.

Cancel a running turn: its execution ends, and the runner learns of it with its next beat.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from satchel.domain.calls import MAX_INLINE_BYTES
from satchel.domain.errors import SessionNotFound, TurnNotFound
from satchel.domain.events import ENDS, Event
from satchel.domain.files import FileRecord, expired
from satchel.domain.ids import CanvasId, SessionId, TurnId, UserName
from satchel.domain.response_composition import compose
from satchel.domain.responses import FinalResponse, ResponseArtifact, ResponseCanvas, ResponseDeferred
from satchel.domain.sessions import Turn, TurnStatus
from satchel.domain.steps import TurnStep
from satchel.domain.users import Identity
from satchel.ports.calls import Calls
from satchel.ports.files import Files
from satchel.ports.sessions import Sessions
from satchel.ports.storage import FileStore
from satchel.ports.system import Clock
from satchel.ports.turns import Events, Turns, Workflow
from satchel.services.files.links import MintLinks
from satchel.services.turns.finish_turn import Ending, EndStuckTurn, FinishTurn

MAX_EVENTS = 200


@dataclass(frozen=True)
class ReadTurn:
    """Reading also settles: a turn found open whose execution has ended is ended here, so that none stays open."""

    sessions: Sessions
    turns: Turns
    calls: Calls
    files: Files
    events: Events
    end_stuck: EndStuckTurn
    links: MintLinks
    store: FileStore
    clock: Clock

    def find(self, who: Identity, session_id: SessionId, turn_id: TurnId) -> Turn:
        """Return a turn of this person. Raises SessionNotFound, TurnNotFound; somebody else's is not found."""
        return find_turn(self.sessions, self.turns, who.name, session_id, turn_id)

    def find_current(self, who: Identity, session_id: SessionId, turn_id: TurnId) -> Turn:
        """Return a turn whose events are about to be followed, so that they come to an end."""
        turn = self.end_stuck(self.find(who, session_id, turn_id))
        self.end_stuck.publish_end(turn)
        return turn

    def reload(self, turn: Turn) -> Turn:
        """Return a turn as it is now, for one that ``find`` has shown to be the reader's."""
        return self.turns.get(turn.session_id, turn.turn_id) or turn

    def __call__(self, who: Identity, session_id: SessionId, turn_id: TurnId) -> FinalResponse:
        """Return the response so far, with links that live five minutes."""
        turn = self.end_stuck(self.find(who, session_id, turn_id))
        calls = self.calls.list(turn_id)
        inline = {key for call in calls if call.result for key in call.result.inline}
        return self._with_links(turn, compose(turn, calls), inline)

    def events_after(self, turn_id: TurnId, after: int) -> Sequence[Event]:
        """Return the next events after a cursor; for a turn that ``find`` has shown to be the reader's."""
        return self.events.after(turn_id, after, MAX_EVENTS)

    def is_fully_read(self, turn_id: TurnId, after: int) -> bool:
        """Tell whether nothing follows a cursor in a turn that has ended."""
        return is_fully_read(self.events, turn_id, after)

    def _with_links(self, turn: Turn, response: FinalResponse, inline: Collection[str]) -> FinalResponse:
        artifacts = [self._with_link(turn, artifact, inline) for artifact in response.artifacts]
        waiting = [
            file.model_copy(update={"download_url": self._link(self._version(turn, file))})
            for file in response.deferred_artifacts
        ]
        added = {"artifacts": artifacts, "deferred_artifacts": waiting, "canvas": self._canvas(turn, response.canvas)}
        return response.model_copy(update=added)

    def _canvas(self, turn: Turn, canvas: ResponseCanvas | None) -> ResponseCanvas | None:
        if canvas is None or not canvas.wants_token:
            return canvas
        return canvas.model_copy(
            update={"token": self.links.for_canvas(turn.user, turn.session_id, CanvasId(canvas.id))}
        )

    def _with_link(self, turn: Turn, artifact: ResponseArtifact, inline: Collection[str]) -> ResponseArtifact:
        record = self._version(turn, artifact)
        added: dict[str, str | None] = {"download_url": self._link(record)}
        if record and artifact.file_key in inline and record.size <= MAX_INLINE_BYTES:
            text = self.store.read(record.key, MAX_INLINE_BYTES)
            added["content"] = None if text is None else text.decode(errors="replace")
        return artifact.model_copy(update=added)

    def _version(self, turn: Turn, file: ResponseArtifact | ResponseDeferred) -> FileRecord | None:
        return self.files.version(turn.user, file.file_key, file.version)

    def _link(self, record: FileRecord | None) -> str | None:
        """A file that is gone has no link."""
        return self.links(record) if record and not expired(record, self.clock.now()) else None


def find_turn(sessions: Sessions, turns: Turns, user: UserName, session_id: SessionId, turn_id: TurnId) -> Turn:
    """Return the turn. Raises SessionNotFound, TurnNotFound."""
    if sessions.get(user, session_id) is None:
        raise SessionNotFound(session_id)
    turn = turns.get(session_id, turn_id)
    if turn is None or turn.user != user:
        raise TurnNotFound(turn_id)
    return turn


def is_fully_read(events: Events, turn_id: TurnId, after: int) -> bool:
    """Tell whether nothing follows this cursor in a turn that has ended; its last event is written a moment after."""
    if after == 0:
        return False
    known = events.after(turn_id, after - 1, 2)
    return not known or (len(known) == 1 and known[0].type in ENDS)


@dataclass(frozen=True)
class CancelTurn:
    """Safe to repeat; a turn that has ended stays as it ended."""

    read: ReadTurn
    workflow: Workflow
    finish: FinishTurn

    def __call__(self, who: Identity, session_id: SessionId, turn_id: TurnId) -> TurnStatus:
        """Return how the turn ended. Raises SessionNotFound, TurnNotFound."""
        turn = self.read.find(who, session_id, turn_id)
        # The end is written first: what the stop sets in motion then finds the turn ended, as cancelled.
        step = TurnStep(user=turn.user, session_id=session_id, turn_id=turn_id)
        status = turn.status if turn.ended else self.finish(step, Ending.CANCELLED)
        if status is TurnStatus.CANCELLED:
            self.workflow.stop(turn_id, "cancelled by the user")
        return status
