"""The state machine and its waiting tasks, without a machine."""

from satchel.ports.turns import TaskGone


class FakeWorkflow:
    """Implements ``ports.workflow.Workflow``: an execution is named by its turn, so it can be started only once."""

    def __init__(self) -> None:
        self.started: list[tuple[str, str, str]] = []
        self.stopped: list[tuple[str, str]] = []
        self._running: set[str] = set()

    def start(self, user: str, session_id: str, turn_id: str) -> None:
        if any(turn_id == known for _, _, known in self.started):
            return
        self.started.append((user, session_id, turn_id))
        self._running.add(turn_id)

    def stop(self, turn_id: str, cause: str) -> None:
        self.stopped.append((turn_id, cause))
        self._running.discard(turn_id)

    def is_running(self, turn_id: str) -> bool:
        return turn_id in self._running

    def lose(self, turn_id: str) -> None:
        """End an execution without a word to anybody."""
        self._running.discard(turn_id)


class FakeTaskCallback:
    """Implements ``ports.workflow.TaskCallback``. ``gone``: nobody waits; ``on_…`` see words come in."""

    def __init__(self) -> None:
        self.beats: list[str] = []
        self.ended: list[str] = []
        self.gone = False
        self.lost_beats = 0
        self.on_beat = self.on_done = _nothing

    def beat(self, token: str) -> None:
        self.beats.append(token)
        self.on_beat()
        if self.gone:
            raise TaskGone
        if self.lost_beats:
            self.lost_beats -= 1
            raise OSError("the beat did not arrive")

    def done(self, token: str) -> None:
        if self.gone:
            return
        self.on_done()
        self.ended.append(token)


def _nothing() -> None:
    """Nobody looks."""
