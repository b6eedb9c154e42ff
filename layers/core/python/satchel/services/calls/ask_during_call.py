"""Ask the user the questions of a running tool, and wait for the answers (servers before MCP 2026-07-28).

The runner reports a question like an event. ``RelayEvents`` checks and stores it, and the API writes the answer where
the runner can read it. The tool's process lives during the wait, so the wait is short. Questions of newer servers wait
in the state machine instead (``services/turns/inputs.py``).
"""

import json
import logging
import math
from collections import deque
from dataclasses import dataclass, field
from datetime import timedelta

from satchel.contract.errors import NotAnswered
from satchel.domain.errors import Unavailable
from satchel.domain.events import NewEvent
from satchel.domain.inputs import (
    MAX_REPORTED_BYTES,
    NOT_ANSWERED,
    InputAnswer,
    OpenInput,
    UnsupportedQuestion,
    parse_elicitation,
)
from satchel.domain.steps import MAX_INPUT_ROUNDS_IN_CALL
from satchel.ports.calls import CallClaims, EventReporter
from satchel.ports.runners import CallOrder
from satchel.ports.system import Clock
from satchel.ports.tool_client import AskedQuestion, ClosedQuestion, QuestionRefused, RunningCall

logger = logging.getLogger(__name__)

CHECK_SECONDS = 0.5
"""Interval of the checks whether the user has answered."""

_MARGIN = 0.02
"""The part of the wait that users do not get, so that an answer at the last moment still reaches the tool."""

_OVERHEAD_BYTES = 200


@dataclass
class _OpenQuestion:
    event: AskedQuestion
    input_id: str
    deadline: float
    next_check: float


@dataclass
class AskDuringCall:
    """Ask the questions of one running call, one at a time. The user has ``seconds`` for each answer."""

    events: EventReporter
    claims: CallClaims
    clock: Clock
    order: CallOrder
    seconds: float
    _waiting: deque[AskedQuestion] = field(default_factory=deque)
    _open: _OpenQuestion | None = None
    _number: int = 0

    @property
    def next_check(self) -> float:
        """Return the monotonic time at which ``check`` is due, or infinity if no question is open."""
        return math.inf if self._open is None else self._open.next_check

    @property
    def is_open(self) -> bool:
        """Return True if the tool waits for the user."""
        return self._open is not None

    def ask(self, event: AskedQuestion, running: RunningCall, cap_end: float) -> None:
        """Ask a question when the earlier ones are answered. The call ends at ``cap_end``, so no wait is longer."""
        self._waiting.append(event)
        self._ask_next(running, cap_end)

    def close(self, closed: ClosedQuestion, running: RunningCall, cap_end: float) -> None:
        """Tell the user that the tool no longer waits for the answer to a question."""
        self._waiting = deque(each for each in self._waiting if each.id != closed.id)
        if self._open is not None and self._open.event.id == closed.id:
            self._report_closed(self._open.input_id)
            self._open = None
            self._ask_next(running, cap_end)

    def check(self, running: RunningCall, cap_end: float) -> None:
        """Send the user's answer, if any, to the tool. If it is too late, kill the tool and raise NotAnswered."""
        if self._open is None or self.clock.monotonic() < self._open.next_check:
            return
        answer = self._read_answer(self._open.input_id)
        if answer is not None:
            running.reply(self._open.event.id, answer)
            self._open = None
            self._ask_next(running, cap_end)
        elif self.clock.monotonic() >= self._open.deadline:
            running.kill()
            raise NotAnswered(NOT_ANSWERED)
        else:
            self._open.next_check = self._next_check(self._open.deadline)

    def _ask_next(self, running: RunningCall, cap_end: float) -> None:
        while self._open is None and self._waiting:
            event = self._waiting.popleft()
            try:
                self._open = self._publish(event, cap_end)
            except (UnsupportedQuestion, Unavailable) as error:
                logger.warning("a question was refused", extra={"call_id": self.order.call_id}, exc_info=True)
                running.reply(event.id, QuestionRefused(f"The question cannot be shown to the user: {error}"))

    def _publish(self, event: AskedQuestion, cap_end: float) -> _OpenQuestion:
        """Report a question. Raise UnsupportedQuestion, or Unavailable if it cannot be stored."""
        question = parse_elicitation("", event.request)
        number = self.order.input_round + self._number + 1
        if number > MAX_INPUT_ROUNDS_IN_CALL:
            raise UnsupportedQuestion(f"it asked more than {MAX_INPUT_ROUNDS_IN_CALL} questions")
        deadline = min(self.clock.monotonic() + self.seconds, cap_end)
        left = deadline - self.clock.monotonic()
        shown = OpenInput(
            call_id=self.order.call_id,
            input_id=f"{number}-0",
            tool=self.order.tool,
            mode=question.mode,
            message=question.message,
            form=question.form,
            url=question.url,
            expires_at=self.clock.now() + timedelta(seconds=left * (1 - _MARGIN)),
            bound_seconds=round(self.seconds),
        )
        payload = shown.model_dump(mode="json", exclude_none=True)
        if len(json.dumps(payload, ensure_ascii=False).encode()) > MAX_REPORTED_BYTES - _OVERHEAD_BYTES:
            raise UnsupportedQuestion("it is too large")
        self.events.report(self.order.call_id, NewEvent(type="input_requested", payload=payload))
        self._number += 1
        return _OpenQuestion(event, shown.input_id, deadline, self._next_check(deadline))

    def _next_check(self, deadline: float) -> float:
        return min(self.clock.monotonic() + CHECK_SECONDS, deadline)

    def _read_answer(self, input_id: str) -> InputAnswer | None:
        try:
            return self.claims.read_answer(self.order.call_id, input_id)
        except Unavailable:
            logger.warning("the next check may find the answer", extra={"call_id": self.order.call_id}, exc_info=True)
            return None

    def _report_closed(self, input_id: str) -> None:
        payload = {"call_id": self.order.call_id, "input_id": input_id, "action": "cancel"}
        try:
            self.events.report(self.order.call_id, NewEvent(type="input_answered", payload=payload))
        except Unavailable:
            logger.warning("an event was lost", extra={"call_id": self.order.call_id}, exc_info=True)
