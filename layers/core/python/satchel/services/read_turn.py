"""Read a turn as its owner sees it: what there is so far, with fresh links."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from satchel.domain.compose import compose
from satchel.domain.errors import SessionNotFound, TurnNotFound
from satchel.domain.events import Event
from satchel.domain.files import expired
from satchel.domain.identity import Identity
from satchel.domain.responses import FinalResponse
from satchel.domain.sessions import Turn
from satchel.domain.steps import TurnStep
from satchel.ports.catalog import Calls, Files, Sessions, Turns
from satchel.ports.clock import Clock
from satchel.ports.events import Events
from satchel.ports.workflow import Workflow
from satchel.services.finish_turn import Ending, FinishTurn
from satchel.services.mint_links import MintLinks

SETTLE_AFTER = timedelta(seconds=15)
MOST_EVENTS = 200


@dataclass(frozen=True)
class ReadTurn:
    """Reading also settles: a turn found open whose execution has ended is ended here, so that none stays open."""

    sessions: Sessions
    turns: Turns
    calls: Calls
    files: Files
    events: Events
    workflow: Workflow
    finish: FinishTurn
    links: MintLinks
    clock: Clock

    def find(self, who: Identity, session_id: str, turn_id: str) -> Turn:
        """Return a turn of this person. Raises SessionNotFound, TurnNotFound; somebody else's is not found."""
        if self.sessions.get(who.name, session_id) is None:
            raise SessionNotFound(session_id)
        turn = self.turns.get(session_id, turn_id)
        if turn is None or turn.user != who.name:
            raise TurnNotFound(turn_id)
        return turn

    def again(self, turn: Turn) -> Turn:
        """Return a turn as it is now, for one that ``find`` has shown to be the reader's."""
        return self.turns.get(turn.session_id, turn.turn_id) or turn

    def __call__(self, who: Identity, session_id: str, turn_id: str) -> FinalResponse:
        """Return the response so far, with links that live five minutes."""
        turn = self.find(who, session_id, turn_id)
        if self._is_lost(turn):
            self.finish(TurnStep(user=turn.user, session_id=session_id, turn_id=turn_id), Ending.LOST)
            turn = self.find(who, session_id, turn_id)
        return self._with_links(turn, compose(turn, self.calls.list(turn_id)))

    def happened(self, turn_id: str, after: int) -> Sequence[Event]:
        """Return the next events after a cursor; for a turn that ``find`` has shown to be the reader's."""
        return self.events.after(turn_id, after, MOST_EVENTS)

    def _is_lost(self, turn: Turn) -> bool:
        if turn.ended or self.clock.now() - turn.created_at < SETTLE_AFTER:
            return False
        return not self.workflow.is_running(turn.turn_id)

    def _with_links(self, turn: Turn, response: FinalResponse) -> FinalResponse:
        artifacts = [
            a.model_copy(update={"download_url": self._link(turn, a.file_key, a.version)}) for a in response.artifacts
        ]
        waiting = [
            d.model_copy(update={"download_url": self._link(turn, d.file_key, d.version)})
            for d in response.deferred_artifacts
        ]
        return response.model_copy(update={"artifacts": artifacts, "deferred_artifacts": waiting})

    def _link(self, turn: Turn, file_key: str, version: int) -> str | None:
        """A file that is gone has no link."""
        record = self.files.version(turn.user, file_key, version)
        return self.links(record) if record and not expired(record, self.clock.now()) else None
