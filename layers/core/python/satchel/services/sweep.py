"""Delete expired data, end stuck turns and idle sessions, and continue interrupted deletions.

The function expire runs the sweep every 15 minutes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from pydantic import BaseModel

from satchel.ports.files import FileReaper
from satchel.ports.sessions import Sessions
from satchel.ports.system import Clock
from satchel.ports.turns import Turns
from satchel.services.files.retention import RemoveFiles
from satchel.services.files.upload_parts import SweepUploads
from satchel.services.sessions.clean_up_session import CleanUpSession
from satchel.services.sessions.erase_user import SweepErasures
from satchel.services.turns.finish_turn import EndStuckTurn

_BATCH_SIZE = 200
_MIN_TURN_AGE = timedelta(minutes=5)  # most turns are shorter, so the sweep asks about few executions
_CLOCK_TOLERANCE = timedelta(seconds=5)  # delay of deletions: a user may keep a file in its last second


class SweepCounts(BaseModel):
    """Numbers of what a sweep did: ended stuck turns, deleted files, aborted uploads, started erasures and so on."""

    stuck_turns: int = 0
    files: int = 0
    uploads: int = 0
    erasures: int = 0
    idle_sessions: int = 0
    temporary_sessions: int = 0
    cleared_sessions: int = 0


@dataclass(frozen=True)
class Sweep:
    """Delete expired data. If time runs out, the next sweep continues. Readers never see expired data."""

    reaper: FileReaper
    sessions: Sessions
    turns: Turns
    end_stuck: EndStuckTurn
    remove: RemoveFiles
    uploads: SweepUploads
    erasures: SweepErasures
    clean_up: CleanUpSession
    clock: Clock
    idle: timedelta

    def __call__(self, more_time: Callable[[], bool]) -> SweepCounts:
        """Sweep until nothing is left to delete, or until ``more_time`` returns False. Return the counts."""
        return SweepCounts(
            stuck_turns=self._end_stuck_turns(more_time),
            files=_repeat(self._delete_files, more_time),
            uploads=_repeat(lambda: self.uploads(_BATCH_SIZE), more_time),
            erasures=self.erasures(_BATCH_SIZE) if more_time() else 0,
            idle_sessions=_repeat(self._end_idle_sessions, more_time),
            temporary_sessions=_repeat(self._delete_temporary_sessions, more_time),
            cleared_sessions=_repeat(lambda: self._clean_up_sessions(more_time), more_time),
        )

    def _end_stuck_turns(self, more_time: Callable[[], bool]) -> int:
        """End open turns without a running execution. Return their number.

        Normally, an EventBridge rule ends them, but EventBridge may lose the event that an execution has stopped.
        """
        count = 0
        for session in self.sessions.list_running(self.clock.now() - _MIN_TURN_AGE):
            if not more_time():
                break
            turn = self.turns.get(session.session_id, session.running_turn) if session.running_turn else None
            if turn and not turn.has_ended:
                count += self.end_stuck(turn).has_ended
        return count

    def _delete_files(self) -> int:
        return self.remove(self.reaper.list_expired(self.clock.now() - _CLOCK_TOLERANCE, _BATCH_SIZE))

    def _end_idle_sessions(self) -> int:
        """End sessions that were not used for the time ``idle`` and have no running turn. Return their number."""
        now = self.clock.now()
        unused = self.sessions.list_idle(now - self.idle, _BATCH_SIZE)
        idle = [session for session in unused if session.running_turn is None]
        for session in idle:
            self.sessions.end(session.user, session.session_id, now, idle_since=now - self.idle)
        return len(idle)

    def _delete_temporary_sessions(self) -> int:
        """End and delete temporary sessions after a day, unless a turn runs. Return their number."""
        now = self.clock.now()
        old = self.sessions.list_old_temporary(now, _BATCH_SIZE)
        idle = [session for session in old if session.running_turn is None]
        for session in idle:
            self.sessions.end(session.user, session.session_id, now)
            self.sessions.delete(session.user, session.session_id)
        return len(idle)

    def _clean_up_sessions(self, more_time: Callable[[], bool]) -> int:
        due = self.sessions.list_due_for_cleanup(self.clock.now(), _BATCH_SIZE)
        return sum(self.clean_up(session, more_time) for session in due)


def _repeat(step: Callable[[], int], more_time: Callable[[], bool]) -> int:
    """Call ``step`` until it returns 0 or ``more_time`` returns False. Return the sum of the results."""
    total = 0
    while more_time() and (count := step()):
        total += count
    return total
