"""The state machine and its waiting tasks, without a machine."""

from satchel.domain.ids import SessionId, TurnId, UserName
from satchel.ports.turns import TaskGone


class FakeWorkflow:
    """Implements ``ports.workflow.Workflow``: an execution is named by its turn, so it can be started only once."""

    def __init__(self) -> None:
        self.started: list[tuple[str, str, str]] = []
        self.stopped: list[tuple[str, str]] = []
        self._running: set[str] = set()

    def start(self, user: UserName, session_id: SessionId, turn_id: TurnId) -> None:
        if any(turn_id == known for _, _, known in self.started):
            return
        self.started.append((user, session_id, turn_id))
        self._running.add(turn_id)

    def stop(self, turn_id: TurnId, cause: str) -> None:
        self.stopped.append((turn_id, cause))
        self._running.discard(turn_id)

    def is_running(self, turn_id: TurnId) -> bool:
        return turn_id in self._running

    def lose(self, turn_id: TurnId) -> None:
        """End an execution without a word to anybody."""
        self._running.discard(turn_id)


class FakeTaskCallback:
    """Implements ``ports.workflow.TaskCallback``. ``gone``: nobody waits; ``on_…`` see words come in."""

    def __init__(self) -> None:
        self.heartbeats: list[str] = []
        self.ended: list[str] = []
        self.gone = False
        self.lost_heartbeats = 0
        self.on_heartbeat = self.on_done = _nothing

    def heartbeat(self, token: str) -> None:
        self.heartbeats.append(token)
        self.on_heartbeat()
        if self.gone:
            raise TaskGone
        if self.lost_heartbeats:
            self.lost_heartbeats -= 1
            raise OSError("the beat did not arrive")

    def done(self, token: str) -> None:
        if self.gone:
            return
        self.on_done()
        self.ended.append(token)


def _nothing() -> None:
    """Nobody looks."""
