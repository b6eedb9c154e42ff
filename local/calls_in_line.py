"""A tool call that waits for its runner's environment: until there is one, somebody must speak for it."""

import logging
from dataclasses import dataclass

from local.runners.line import Attendant, Unattended
from satchel.adapters import clients
from satchel.adapters.stepfunctions import WaitingTasks
from satchel.bootstrap.storage import storage
from satchel.contract.errors import Busy
from satchel.domain.calls import Outcome
from satchel.ports.file_store import FileStore
from satchel.ports.runners import CallOrder
from satchel.ports.workflow import TaskCallback, TaskGone
from satchel.services.calls.store_outcome import store_outcome

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class CallInLine:
    """Implements ``Attendant``: without its beat the state machine would take the call for that of a dead runner."""

    order: CallOrder
    callback: TaskCallback
    store: FileStore

    def still_wanted(self) -> bool:
        """Beat for the call; its task is gone where the person cancelled it."""
        try:
            self.callback.beat(self.order.task_token)
        except TaskGone:
            return False
        except OSError:
            logger.warning("a beat did not arrive; the next one may", exc_info=True)
        return True

    def refused(self, reason: str) -> None:
        """End the call as its runner would, with an outcome that says so."""
        store_outcome(self.store, self.order.outcome_key, Outcome.of_error(Busy(reason)))
        self.callback.done(self.order.task_token)


def attend(event: object) -> Attendant:
    """Return the attendant of a runner's invocation. Who asks for a list waits for the answer himself."""
    if not isinstance(event, dict) or event.get("action") != "call":
        return Unattended()
    return CallInLine(CallOrder.model_validate(event), WaitingTasks(clients.stepfunctions()), storage().store)
