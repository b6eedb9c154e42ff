"""Delete everything of a person: asked for twice, done in the background (function erase), told of afterwards."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from pydantic import BaseModel

from satchel.domain.errors import NotConfirmed, UploadNotFound
from satchel.domain.ids import UserName
from satchel.domain.links import CONFIRM_SECONDS, EraseClaims
from satchel.domain.users import GRACE, Erasure, Identity, LateTurn
from satchel.ports.files import Uploads
from satchel.ports.links import Signer
from satchel.ports.sessions import Sessions
from satchel.ports.storage import FileStore
from satchel.ports.system import Clock
from satchel.ports.turns import Workflow
from satchel.ports.users import Erasures, ErasureStarter, UserPurger
from satchel.services.files.upload_parts import AbortUpload

_AT_ONCE = 100


class Confirmation(BaseModel):
    """What a person needs to say it a second time; ``exp`` in seconds since 1970."""

    token: str
    exp: int


@dataclass(frozen=True)
class RequestErasure:
    """Nothing is deleted by one word. The token is good for the person who asked, and for five minutes."""

    signer: Signer
    erasures: Erasures
    starter: ErasureStarter
    clock: Clock

    def request(self, who: Identity) -> Confirmation:
        """Return what confirms it."""
        exp = int(self.clock.now().timestamp()) + CONFIRM_SECONDS
        return Confirmation(token=self.signer.sign(EraseClaims(owner=who.name, exp=exp)), exp=exp)

    def confirm(self, who: Identity, token: str) -> Erasure:
        """Begin, or go on with what was begun. Raises NotConfirmed."""
        claims = self.signer.read_confirmation(token)
        if claims is None or claims.owner != who.name:
            raise NotConfirmed
        erasure = self.erasures.begin(who.name, self.clock.now())
        self.starter.start(who.name)
        return erasure

    def latest(self, who: Identity) -> Erasure | None:
        """Return the last erasure of this person, if it was not long ago."""
        return self.erasures.get(who.name)


@dataclass(frozen=True)
class EraseUser:
    """May be broken off anywhere and begun again. Records go before bytes: what is listed can be fetched to the last.

    Turns that run are stopped; what they had begun may write for a while, so that they are looked at once more.
    """

    erasures: Erasures
    purger: UserPurger
    sessions: Sessions
    uploads: Uploads
    abort: AbortUpload
    store: FileStore
    workflow: Workflow
    clock: Clock

    def __call__(self, user: UserName, more_time: Callable[[], bool]) -> bool:
        """Go on as long as there is ``more_time``; return whether nothing is left to do by now."""
        erasure = self.erasures.get(user)
        if erasure is None or erasure.finished_at is not None:
            return True
        late = self._stop_turns(erasure)
        self._give_up_uploads(user)
        for _ in self.purger.erase(user, late):
            if not more_time():
                return False
        for _ in self.store.delete_under(f"{user}/"):
            if not more_time():
                return False
        now, until = self.clock.now(), erasure.started_at + GRACE
        if late and now < until:
            self.erasures.look_again(user, until)
        else:
            self.erasures.finish(user, now)
        return True

    def _stop_turns(self, erasure: Erasure) -> list[LateTurn]:
        """Stop what runs, and write it down before its session goes."""
        late = {turn.turn_id: turn for turn in erasure.late}
        cursor: str | None = None
        while True:
            page = self.sessions.list(erasure.user, _AT_ONCE, cursor)
            for session in page.items:
                if session.running_turn:
                    turn = LateTurn(session_id=session.session_id, turn_id=session.running_turn)
                    late[turn.turn_id] = turn
            if (cursor := page.cursor) is None:
                break
        if len(late) > len(erasure.late):
            self.erasures.note(erasure.user, list(late.values()))
        for turn_id in late:
            self.workflow.stop(turn_id, "everything of its user is deleted")
        return list(late.values())

    def _give_up_uploads(self, user: UserName) -> None:
        while uploads := self.uploads.list(user, _AT_ONCE, None).items:
            for upload in uploads:
                try:
                    self.abort(user, upload.upload_id)
                except UploadNotFound:  # it was completed in this moment: what came of it goes with the rest
                    continue


@dataclass(frozen=True)
class SweepErasures:
    """Go on with what was broken off, and look again at what is due (by the sweep of what has expired)."""

    erasures: Erasures
    starter: ErasureStarter
    clock: Clock
    grace: timedelta = GRACE

    def __call__(self, limit: int) -> int:
        """Start at most so many; return how many. Each is due again only after a while."""
        now = self.clock.now()
        due = self.erasures.due(now, limit)
        for user in due:
            self.erasures.look_again(user, now + self.grace)
            self.starter.start(user)
        return len(due)
