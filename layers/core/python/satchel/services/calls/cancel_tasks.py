"""Cancel the tasks of servers whose turn has ended before their result (function finish)."""

import logging
from dataclasses import dataclass

from satchel.domain.sessions import Turn
from satchel.domain.steps import TurnStep
from satchel.domain.tasks import CallTask
from satchel.ports.calls import Calls, CallTasks
from satchel.ports.runners import Runners
from satchel.ports.sessions import ServerSessionRemover

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class CancelTasks:
    """Cancel the tasks that still work on calls of an ended turn. A task is cancelled twice if this runs twice."""

    calls: Calls
    tasks: CallTasks
    runners: Runners
    sessions: ServerSessionRemover

    def __call__(self, step: TurnStep) -> None:
        """Let the servers cancel the tasks of the turn's calls without a result."""
        tasks = self.tasks.list(step.turn_id)
        if not tasks:
            return
        unfinished = {call.call_id for call in self.calls.list(step.turn_id) if call.result is None}
        for task in tasks:
            if task.call_id in unfinished:
                self.cancel(step, task)

    def cancel(self, turn: Turn | TurnStep, task: CallTask) -> None:
        """Let the server cancel a task. The server decides whether it stops the work."""
        logger.info("a task is cancelled", extra={"call_id": task.call_id, "server": task.server})
        session = self.sessions.get(turn.session_id, task.server)
        self.runners.cancel_task(task.server, turn.user, task.task_id, session)
