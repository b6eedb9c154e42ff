"""The executions of turns, as the API sees them."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class FakeWorkflow:
    """Implements ``ports.workflow.Workflow``. ``on_start`` happens when a turn is started for the first time."""

    started: list[tuple[str, str, str]] = field(default_factory=list)
    stopped: list[tuple[str, str]] = field(default_factory=list)
    running: set[str] = field(default_factory=set)
    on_start: Callable[[str, str, str], None] | None = None

    def start(self, user: str, session_id: str, turn_id: str) -> None:
        if (user, session_id, turn_id) in self.started:
            return
        self.started.append((user, session_id, turn_id))
        self.running.add(turn_id)
        if self.on_start:
            self.on_start(user, session_id, turn_id)

    def stop(self, turn_id: str, cause: str) -> None:
        self.stopped.append((turn_id, cause))
        self.running.discard(turn_id)

    def ended(self, turn_id: str) -> None:
        self.running.discard(turn_id)

    def is_running(self, turn_id: str) -> bool:
        return turn_id in self.running
