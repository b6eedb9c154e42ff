"""The state machine of a turn, and the callback of a waiting task."""

from typing import Protocol


class Workflow(Protocol):
    """Starts, stops and asks after the execution of a turn; its name is the turn's id."""

    def start(self, user: str, session_id: str, turn_id: str) -> None:
        """Start the execution; starting the same turn again does nothing."""
        ...

    def stop(self, turn_id: str, cause: str) -> None:
        """End the execution if it runs."""
        ...

    def is_running(self, turn_id: str) -> bool:
        """Tell whether the execution has not ended."""
        ...


class TaskGone(Exception):
    """Nobody waits for this task any more."""


class TaskCallback(Protocol):
    """The task that waits for a call."""

    def beat(self, token: str) -> None:
        """Say that the call is alive. Raises TaskGone when nobody waits for it."""
        ...

    def done(self, token: str) -> None:
        """Say that the outcome is stored. A late word is harmless and silent."""
        ...
