"""Add the events that a runner reports to the events of its turn (functions push and record_tool_result)."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from satchel.domain.errors import Unavailable
from satchel.domain.events import NewEvent
from satchel.domain.ids import CallId, TurnId, turn_of
from satchel.domain.input_events import answered_event, requested_event
from satchel.domain.inputs import CallInput
from satchel.domain.reported_events import ReportedQuestion, WithdrawnQuestion, parse_reported_event
from satchel.ports.calls import Calls, LatestReports, RelayPosition, ReportedEvents, ReportedPage
from satchel.ports.system import Clock
from satchel.ports.turns import Inputs

logger = logging.getLogger(__name__)

_MAX_PAGES = 200  # more than the limit of a call: each page either moves the position, or another process moved it


@dataclass(frozen=True)
class RelayEvents:
    """Relay a call's reported events. Runners are not trusted: skip everything that they may not report.

    A question of a running tool is stored with its event, so that the user can answer it, for at most ``input_bound``.
    """

    reported: ReportedEvents
    calls: Calls
    inputs: Inputs
    clock: Clock
    input_bound: timedelta

    def __call__(self, call_id: CallId) -> bool:
        """Relay all events that the call's runner has reported so far. Return False if that must be repeated."""
        failed: ReportedPage | None = None
        try:
            for _ in range(_MAX_PAGES):
                page = self.reported.read(call_id)
                if page is None or (failed and failed.previous == page.previous):
                    return True  # the second failure at one position: the turn has ended
                if not self._relay(page):
                    failed = page
                elif page.is_last:
                    return True
        except Unavailable:
            logger.warning("reported events are delayed", extra={"call_id": call_id}, exc_info=True)
            return False
        return True

    def find_rest(self, call_id: CallId, latest: LatestReports, relayed: RelayPosition) -> ReportedPage | None:
        """Return the last events of a call, which the caller stores before its result. Return None if there are none.

        ``latest`` and ``relayed`` are what the caller has read side by side. If ``latest`` does not begin before
        the position, relay the earlier events and read the rest again.
        """
        if relayed.is_closed:
            return None
        keys = [key for key in latest.documents if relayed.key is None or key > relayed.key]
        if len(keys) == len(latest.documents) and not latest.is_complete:
            return self.read_rest(call_id)
        if not keys:
            return None
        documents = [latest.documents[key] for key in keys]
        return ReportedPage(call_id, documents, keys[-1], relayed.key, relayed.count, is_last=True)

    def read_rest(self, call_id: CallId) -> ReportedPage | None:
        """Relay all events of a call except for the last page, and return that page, if any."""
        for _ in range(_MAX_PAGES):
            page = self.reported.read(call_id)
            if page is None or page.is_last:
                return page
            self._relay(page)
        return None

    def _relay(self, page: ReportedPage) -> bool:
        """Relay a page with its last question, if any. Return False if another process has relayed it."""
        events: list[NewEvent] = []
        question: CallInput | None = None
        for reported in _readable(page):
            if isinstance(reported, NewEvent):
                events.append(reported)
                continue
            current = question or self.inputs.get(TurnId(turn_of(page.call_id)), page.call_id)
            if isinstance(reported, ReportedQuestion):
                changed = self._ask(page.call_id, reported, current)
            else:
                changed = _withdraw(reported, current)
            if changed is None:
                _warn(page.call_id)
            else:
                question, event = changed
                events.append(event)
        return self.reported.relay(page, events, question)

    def _ask(
        self, call_id: CallId, reported: ReportedQuestion, earlier: CallInput | None
    ) -> tuple[CallInput, NewEvent] | None:
        """Return a question to store, and its event. Return None for a question with an old number."""
        call = self.calls.get(TurnId(turn_of(call_id)), call_id)
        if call is None or (earlier is not None and reported.round <= earlier.round):
            return None
        question = CallInput(
            call_id=call_id,
            turn_id=call.turn_id,
            tool=call.tool,
            round=reported.round,
            questions=[reported.question],
            expires_at=min(reported.expires_at, self.clock.now() + self.input_bound),
            bound_seconds=round(self.input_bound.total_seconds()),
            earlier=earlier.for_model() if earlier else [],
        )
        return question, requested_event(question.to_open(question.posed[0]))


def readable_events(page: ReportedPage) -> Sequence[NewEvent]:
    """Return the events of an ended call's page that its runner may report: no questions, which come too late.

    Log a warning for each of the others.
    """
    return [reported for reported in _readable(page) if isinstance(reported, NewEvent)]


def _readable(page: ReportedPage) -> Iterator[NewEvent | ReportedQuestion | WithdrawnQuestion]:
    for document in page.documents:
        try:
            yield parse_reported_event(page.call_id, document)
        except ValueError:
            _warn(page.call_id)


def _withdraw(reported: WithdrawnQuestion, question: CallInput | None) -> tuple[CallInput, NewEvent] | None:
    """Return the closed question, and the event that closes it for clients. Return None if it is not open."""
    if question is None or not question.is_in_call or question.taken or question.is_answered:
        return None
    if question.posed[0].input_id != reported.input_id:
        return None
    closed = question.model_copy(update={"taken": True})
    return closed, answered_event(question.call_id, reported.input_id, reported.action)


def _warn(call_id: CallId) -> None:
    logger.warning("skipped an unreadable event of a runner", extra={"call_id": call_id})
