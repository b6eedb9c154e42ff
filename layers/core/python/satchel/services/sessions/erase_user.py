"""Delete all data of a user in the background (function erase), after the user has confirmed the deletion."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from pydantic import BaseModel

from satchel.domain.errors import NotConfirmed, UploadNotFound
from satchel.domain.ids import UserName
from satchel.domain.links import CONFIRMATION_SECONDS, EraseClaims
from satchel.domain.users import LATE_WRITE_GRACE, Erasure, Identity, InterruptedTurn
from satchel.ports.files import Uploads
from satchel.ports.links import Signer
from satchel.ports.sessions import Sessions
from satchel.ports.storage import FileStore
from satchel.ports.system import Clock
from satchel.ports.turns import Workflow
from satchel.ports.users import Erasures, ErasureStarter, UserPurger
from satchel.services.files.upload_parts import AbortUpload

_PAGE_SIZE = 100


class Confirmation(BaseModel):
    """The token with which a user confirms the erasure; ``exp`` is its expiry in seconds since 1970."""

    token: str
    exp: int


@dataclass(frozen=True)
class RequestErasure:
    """Start the deletion of a user's data in two steps: ``request`` returns a token, ``confirm`` requires the token."""

    signer: Signer
    erasures: Erasures
    starter: ErasureStarter
    clock: Clock

    def request(self, who: Identity) -> Confirmation:
        """Return a token with which this user can confirm the erasure within five minutes."""
        exp = int(self.clock.now().timestamp()) + CONFIRMATION_SECONDS
        return Confirmation(token=self.signer.sign(EraseClaims(owner=who.name, exp=exp)), exp=exp)

    def confirm(self, who: Identity, token: str) -> Erasure:
        """Start the erasure, or continue one that is not finished. Raise NotConfirmed if the token is invalid."""
        claims = self.signer.verify_confirmation(token)
        if claims is None or claims.owner != who.name:
            raise NotConfirmed
        erasure = self.erasures.begin(who.name, self.clock.now())
        self.starter.start(who.name)
        return erasure

    def latest(self, who: Identity) -> Erasure | None:
        """Return the latest erasure of this user, or None if there was none or its record has expired."""
        return self.erasures.get(who.name)


@dataclass(frozen=True)
class EraseUser:
    """Delete all data of a user. An erasure may be interrupted at any point and repeated.

    Records are deleted before bytes, so every file that is still listed can be downloaded. Tool calls of stopped turns
    may still write data, so if turns were stopped, the erasure runs again after ``LATE_WRITE_GRACE``.
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
        """Erase the user's data. Return False if ``more_time`` returned False before this run was complete."""
        erasure = self.erasures.get(user)
        if erasure is None or erasure.finished_at is not None:
            return True
        interrupted = self._stop_turns(erasure)
        self._abort_uploads(user)
        for _ in self.purger.erase(user, interrupted):
            if not more_time():
                return False
        for _ in self.store.delete_prefix(f"{user}/"):
            if not more_time():
                return False
        now, until = self.clock.now(), erasure.started_at + LATE_WRITE_GRACE
        if interrupted and now < until:
            self.erasures.reschedule(user, until)
        else:
            self.erasures.finish(user, now)
        return True

    def _stop_turns(self, erasure: Erasure) -> list[InterruptedTurn]:
        """Stop and return the user's running turns. Store their ids first: later runs may not find the sessions."""
        interrupted = {turn.turn_id: turn for turn in erasure.late}
        cursor: str | None = None
        while True:
            page = self.sessions.list(erasure.user, _PAGE_SIZE, cursor)
            for session in page.items:
                if session.running_turn:
                    turn = InterruptedTurn(session_id=session.session_id, turn_id=session.running_turn)
                    interrupted[turn.turn_id] = turn
            if (cursor := page.cursor) is None:
                break
        if len(interrupted) > len(erasure.late):
            self.erasures.save_interrupted_turns(erasure.user, list(interrupted.values()))
        for turn_id in interrupted:
            self.workflow.stop(turn_id, "all data of its user is deleted")
        return list(interrupted.values())

    def _abort_uploads(self, user: UserName) -> None:
        while uploads := self.uploads.list(user, _PAGE_SIZE, None).items:
            for upload in uploads:
                try:
                    self.abort(user, upload.upload_id)
                except UploadNotFound:  # the upload was completed: its file is deleted later
                    continue


@dataclass(frozen=True)
class SweepErasures:
    """Continue interrupted erasures, and run erasures again whose grace period is over (part of the sweep)."""

    erasures: Erasures
    starter: ErasureStarter
    clock: Clock
    grace: timedelta = LATE_WRITE_GRACE

    def __call__(self, limit: int) -> int:
        """Start at most ``limit`` due erasures and return their number.

        An erasure that is still unfinished after ``grace`` becomes due again.
        """
        now = self.clock.now()
        due = self.erasures.list_due(now, limit)
        for user in due:
            self.erasures.reschedule(user, now + self.grace)
            self.starter.start(user)
        return len(due)
