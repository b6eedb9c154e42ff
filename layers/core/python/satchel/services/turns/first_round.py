"""Run the first round of a turn in an asynchronous invocation, before the turn has an execution.

Most turns end in their first round, so they need no execution of the state machine. An execution continues the others,
and it repeats a first round that has failed. If the function itself dies, Lambda's failure destination requests that.

Two invocations may run the first round of one turn, because the API repeats a request and Lambda delivers at least
once. The first one that stores text, calls or the answer wins.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Timer

from satchel.domain.ids import time_of
from satchel.domain.llm import ModelError
from satchel.domain.steps import Failure, NextStep, TurnStep, repeat_first_round
from satchel.ports.system import Clock
from satchel.ports.turns import Turns, Workflow
from satchel.services.turns.finish_turn import FinishTurn
from satchel.services.turns.think import Think

logger = logging.getLogger(__name__)

_SEEN_AFTER_SECONDS = 5.0  # readers end a turn that is older than 15 s and of which they see nothing


@dataclass(frozen=True)
class RunFirstRound:
    """Run the first round of a turn. End the turn, or start the execution that continues it."""

    turns: Turns
    think: Think
    finish: FinishTurn
    workflow: Workflow
    clock: Clock

    def __call__(self, step: TurnStep) -> NextStep:
        """Return the next step. ``ended``: the turn has ended, or another invocation runs its first round.

        Raise an error of AWS if the execution does not start, or if the turn cannot be ended.
        """
        try:
            with self._seen(step):
                next_step = self.think(step)
        except ModelError as error:
            if error.is_repeatable:
                return self._repeat(step)
            return self._end(step.model_copy(update={"failure": Failure(Error=type(error).__name__)}))
        except Exception:
            logger.exception("the first round failed, so an execution repeats it")
            return self._repeat(step)
        if next_step.ended:
            return next_step
        if next_step.done:
            return self._end(next_step)
        self.workflow.continue_after(next_step)
        return next_step

    @contextmanager
    def _seen(self, step: TurnStep) -> Iterator[None]:
        """Store that the round runs, if that is some seconds after the start of the turn."""
        age = self.clock.now() - time_of(step.turn_id)
        timer = Timer(max(0.0, _SEEN_AFTER_SECONDS - age.total_seconds()), self._mark_seen, [step])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _mark_seen(self, step: TurnStep) -> None:
        try:
            self.turns.mark_seen(step.session_id, step.turn_id, self.clock.now())
        except Exception:
            logger.exception("readers may end the turn, because they do not see that it runs")

    def _repeat(self, step: TurnStep) -> NextStep:
        again = repeat_first_round(step)
        self.workflow.continue_after(again)
        return again

    def _end(self, step: TurnStep) -> NextStep:
        self.finish(step)
        ids = step.model_dump(include={"user", "session_id", "turn_id", "round"})
        return NextStep(**ids, done=True, ended=True)
