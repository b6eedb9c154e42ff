"""TODO."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from pydantic import BaseModel

from satchel.ports.files import FileReaper
from satchel.ports.sessions import Sessions
from satchel.ports.system import Clock
from satchel.services.files.retention import RemoveFiles
from satchel.services.files.upload_parts import SweepUploads
from satchel.services.sessions.clean_up_session import CleanUpSession
from satchel.services.sessions.erase_user import SweepErasures

_AT_ONCE = 200


_CLOCKS_DIFFER = timedelta(seconds=5)  # who keeps a file in its last second must not meet who deletes it


class SweepCounts(BaseModel):
    """What a sweep did."""

    files: int = 0
    uploads: int = 0
    erasures: int = 0
    idle_sessions: int = 0
    cleared_sessions: int = 0


@dataclass(frozen=True)
class Sweep:
    """Idempotent; what one sweep has no time for is left to the next. Readers do not wait for it: expiry is exact."""

    reaper: FileReaper
    sessions: Sessions
    remove: RemoveFiles
    uploads: SweepUploads
    erasures: SweepErasures
    clean_up: CleanUpSession
    clock: Clock
    idle: timedelta

    def __call__(self, more_time: Callable[[], bool]) -> SweepCounts:
        """Sweep as long as there is something to sweep and ``more_time``."""
        return SweepCounts(
            files=_again(self._files, more_time),
            uploads=_again(lambda: self.uploads(_AT_ONCE), more_time),
            erasures=self.erasures(_AT_ONCE) if more_time() else 0,
            idle_sessions=_again(self._idle, more_time),
            cleared_sessions=_again(lambda: self._ended(more_time), more_time),
        )

    def _files(self) -> int:
        return self.remove(self.reaper.due(self.clock.now() - _CLOCKS_DIFFER, _AT_ONCE))

    def _idle(self) -> int:
        """A session whose turn runs is in use, however long that takes."""
        now = self.clock.now()
        found = self.sessions.idle(now - self.idle, _AT_ONCE)
        idle = [session for session in found if session.running_turn is None]
        for session in idle:
            self.sessions.end(session.user, session.session_id, now, idle_since=now - self.idle)
        return len(idle)

    def _ended(self, more_time: Callable[[], bool]) -> int:
        return sum(
            self.clean_up(session, more_time) for session in self.sessions.due_for_cleanup(self.clock.now(), _AT_ONCE)
        )


def _again(step: Callable[[], int], more_time: Callable[[], bool]) -> int:
    """Do a step as long as it does something."""
    done = 0
    while more_time() and (did := step()):
        done += did
    return done
