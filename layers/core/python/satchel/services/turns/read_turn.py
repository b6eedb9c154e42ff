"""Read a turn as its owner sees it: what there is so far, with fresh links."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from satchel.domain.calls import MOST_INLINE_BYTES
from satchel.domain.compose import compose
from satchel.domain.events import Event
from satchel.domain.files import FileRecord, expired
from satchel.domain.identity import Identity
from satchel.domain.responses import FinalResponse, ResponseArtifact, ResponseCanvas, ResponseDeferred
from satchel.domain.sessions import Turn
from satchel.ports.catalog import Calls, Files, Sessions, Turns
from satchel.ports.clock import Clock
from satchel.ports.events import Events
from satchel.ports.file_store import FileStore
from satchel.services.files.mint_links import MintLinks
from satchel.services.turns.find_turn import find_turn
from satchel.services.turns.is_over import is_over
from satchel.services.turns.settle_turn import SettleTurn

MOST_EVENTS = 200


@dataclass(frozen=True)
class ReadTurn:
    """Reading also settles: a turn found open whose execution has ended is ended here, so that none stays open."""

    sessions: Sessions
    turns: Turns
    calls: Calls
    files: Files
    events: Events
    settle: SettleTurn
    links: MintLinks
    store: FileStore
    clock: Clock

    def find(self, who: Identity, session_id: str, turn_id: str) -> Turn:
        """Return a turn of this person. Raises SessionNotFound, TurnNotFound; somebody else's is not found."""
        return find_turn(self.sessions, self.turns, who.name, session_id, turn_id)

    def settled(self, who: Identity, session_id: str, turn_id: str) -> Turn:
        """Return a turn whose events are about to be followed, so that they come to an end."""
        turn = self.settle(self.find(who, session_id, turn_id))
        self.settle.tell_end(turn)
        return turn

    def again(self, turn: Turn) -> Turn:
        """Return a turn as it is now, for one that ``find`` has shown to be the reader's."""
        return self.turns.get(turn.session_id, turn.turn_id) or turn

    def __call__(self, who: Identity, session_id: str, turn_id: str) -> FinalResponse:
        """Return the response so far, with links that live five minutes."""
        turn = self.settle(self.find(who, session_id, turn_id))
        calls = self.calls.list(turn_id)
        inline = {key for call in calls if call.settled for key in call.settled.inline}
        return self._with_links(turn, compose(turn, calls), inline)

    def happened(self, turn_id: str, after: int) -> Sequence[Event]:
        """Return the next events after a cursor; for a turn that ``find`` has shown to be the reader's."""
        return self.events.after(turn_id, after, MOST_EVENTS)

    def is_over(self, turn_id: str, after: int) -> bool:
        """Tell whether nothing follows a cursor in a turn that has ended."""
        return is_over(self.events, turn_id, after)

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
        return canvas.model_copy(update={"token": self.links.for_canvas(turn.user, turn.session_id, canvas.id)})

    def _with_link(self, turn: Turn, artifact: ResponseArtifact, inline: Collection[str]) -> ResponseArtifact:
        record = self._version(turn, artifact)
        added: dict[str, str | None] = {"download_url": self._link(record)}
        if record and artifact.file_key in inline and record.size <= MOST_INLINE_BYTES:
            text = self.store.read(record.key, MOST_INLINE_BYTES)
            added["content"] = None if text is None else text.decode(errors="replace")
        return artifact.model_copy(update=added)

    def _version(self, turn: Turn, file: ResponseArtifact | ResponseDeferred) -> FileRecord | None:
        return self.files.version(turn.user, file.file_key, file.version)

    def _link(self, record: FileRecord | None) -> str | None:
        """A file that is gone has no link."""
        return self.links(record) if record and not expired(record, self.clock.now()) else None
