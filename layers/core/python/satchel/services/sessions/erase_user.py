"""Delete all data of a user in the background (function erase), after the user has confirmed the deletion."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import BaseModel

from satchel.domain.errors import NotConfirmed, UploadNotFound
from satchel.domain.files import FileFilter
from satchel.domain.ids import TurnId, UserName
from satchel.domain.links import CONFIRMATION_SECONDS, EraseClaims
from satchel.domain.object_keys import turn_objects_prefixes
from satchel.domain.sessions import Session, SessionStatus
from satchel.domain.users import LATE_WRITE_GRACE, Erasure, Identity, InterruptedTurn
from satchel.ports.files import Files, Uploads
from satchel.ports.links import Signer
from satchel.ports.sessions import Sessions
from satchel.ports.storage import FileStore
from satchel.ports.system import Clock
from satchel.ports.turns import Turns, Workflow
from satchel.ports.users import Erasures, ErasureStarter, UserPurger
from satchel.services.files.retention import RemoveFiles
from satchel.services.files.upload_parts import AbortUpload

_PAGE_SIZE = 100
_STOP_REASON = "all data of its user is deleted"


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
        """Start the erasure, or continue one that is still deleting. Raise NotConfirmed if the token is invalid."""
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

    The first pass deletes everything. Until its end, the user cannot store new data: transactions that store data check
    the record of the erasure, and those that begin turns fail when the first pass has found their session. Records are
    deleted before bytes, so every file that is still listed can be downloaded. Tool calls of turns that were stopped or
    cancelled shortly before, may still write data. So if there are such turns, a second pass runs ``LATE_WRITE_GRACE``
    later and deletes what they have stored since.

    A slow process may still run the first pass when another one has completed it. Each deletion of listed data
    therefore comes after a check, made after the listing, that the first pass is not complete.
    """

    erasures: Erasures
    purger: UserPurger
    sessions: Sessions
    turns: Turns
    files: Files
    remove: RemoveFiles
    uploads: Uploads
    abort: AbortUpload
    store: FileStore
    workflow: Workflow
    clock: Clock

    def __call__(self, user: UserName, more_time: Callable[[], bool]) -> bool:
        """Erase the user's data. Return False if ``more_time`` returned False before this run was complete."""
        erasure = self.erasures.get(user)
        if erasure is not None and erasure.cleared_at is None and erasure.finished_at is None:
            if not self._erase_everything(erasure, more_time):
                return False
            self.erasures.mark_cleared(erasure, self.clock.now())
            erasure = self.erasures.get(user)
        if erasure is None or erasure.cleared_at is None or erasure.finished_at is not None:
            return True
        until = erasure.cleared_at + LATE_WRITE_GRACE
        if erasure.late and self.clock.now() < until:
            self.erasures.reschedule(user, until)
            return True
        if not self._erase_late_writes(erasure, more_time):
            return False
        self.erasures.finish(erasure, self.clock.now())
        return True

    def _erase_everything(self, erasure: Erasure, more_time: Callable[[], bool]) -> bool:
        self._refuse_turns(erasure)
        self._stop_turns(erasure)
        self._abort_uploads(erasure)
        steps = (
            self.purger.erase(erasure),
            self.store.delete_prefix(f"{erasure.user}/", proceed=lambda: self._is_clearing(erasure)),
        )
        return all(more_time() for step in steps for _ in step)

    def _erase_late_writes(self, erasure: Erasure, more_time: Callable[[], bool]) -> bool:
        for turn in erasure.late:
            self.workflow.stop(turn.turn_id, _STOP_REASON)  # again: its start may have come after the first stop
        prefixes = [prefix for turn in erasure.late for prefix in turn_objects_prefixes(erasure.user, turn.turn_id)]
        steps = (
            self._remove_late_files(erasure),
            self.purger.erase_late_writes(erasure),
            *(self.store.delete_prefix(prefix) for prefix in prefixes),
        )
        return all(more_time() for step in steps for _ in step)

    def _remove_late_files(self, erasure: Erasure) -> Iterator[int]:
        """Remove the files in the sessions of stopped turns. The first pass deleted these sessions, so all are late."""
        for session_id in {turn.session_id for turn in erasure.late}:
            cursor, file_filter = None, FileFilter(session_id=session_id)
            while True:
                page = self.files.list(erasure.user, _PAGE_SIZE, cursor, file_filter)
                if page.items:
                    yield self.remove(page.items)
                if (cursor := page.cursor) is None:
                    break

    def _is_clearing(self, erasure: Erasure) -> bool:
        """Return True if this erasure's first pass is not complete, so that all data of the user is older."""
        latest = self.erasures.get(erasure.user)
        return latest is not None and latest.started_at == erasure.started_at and latest.cleared_at is None

    def _refuse_turns(self, erasure: Erasure) -> None:
        """Start no more turns in the sessions of the user, so that the running ones can be listed and stopped.

        The transaction that begins a turn does not check the record of the erasure. The one that creates a session
        does, so no session is missing here.
        """
        cursor: str | None = None
        while True:
            page = self.sessions.list(erasure.user, _PAGE_SIZE, cursor)
            if not self._is_clearing(erasure):  # after the listing, so that newer sessions stay usable
                return
            for session in page.items:
                if session.status is SessionStatus.ACTIVE:
                    self.sessions.refuse_turns(erasure.user, session.session_id)
            if (cursor := page.cursor) is None:
                return

    def _stop_turns(self, erasure: Erasure) -> None:
        """Stop the user's running turns. Store their ids first: later runs may not find the sessions."""
        interrupted = {turn.turn_id: turn for turn in erasure.late}
        for session in self._sessions(erasure.user):
            for turn_id in self._turns_with_late_writes(session, erasure.started_at):
                if turn_id not in interrupted:
                    calls = list(self.purger.list_call_ids(turn_id))
                    interrupted[turn_id] = InterruptedTurn(
                        session_id=session.session_id, turn_id=turn_id, call_ids=calls
                    )
        if not self._is_clearing(erasure):
            return
        if len(interrupted) > len(erasure.late):
            self.erasures.save_interrupted_turns(erasure, list(interrupted.values()))
        for turn_id in interrupted:
            self.workflow.stop(turn_id, _STOP_REASON)

    def _sessions(self, user: UserName) -> Iterator[Session]:
        """Yield all sessions of the user, also those that the user has deleted a short time ago."""
        for read in (self.sessions.list, self.sessions.list_deleted):
            cursor: str | None = None
            while True:
                page = read(user, _PAGE_SIZE, cursor)
                yield from page.items
                if (cursor := page.cursor) is None:
                    break

    def _turns_with_late_writes(self, session: Session, started_at: datetime) -> Iterator[TurnId]:
        """Yield the running turn, and turns that were cancelled or failed so recently that their tools may run."""
        if session.running_turn:
            yield session.running_turn
        cursor: str | None = None
        while True:
            page = self.turns.list(session.session_id, _PAGE_SIZE, cursor)
            for turn in page.items:
                if turn.error and turn.ended_at and turn.ended_at > started_at - LATE_WRITE_GRACE:
                    yield turn.turn_id
            if (cursor := page.cursor) is None:
                break

    def _abort_uploads(self, erasure: Erasure) -> None:
        while uploads := self.uploads.list(erasure.user, _PAGE_SIZE, None).items:
            if not self._is_clearing(erasure):
                return
            for upload in uploads:
                try:
                    self.abort(erasure.user, upload.upload_id)
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
