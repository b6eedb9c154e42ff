"""Add the events that a runner reports to the events of its turn (functions push and record_tool_result)."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from satchel.domain.errors import Unavailable
from satchel.domain.events import NewEvent
from satchel.domain.ids import CallId
from satchel.domain.reported_events import parse_reported_event
from satchel.ports.calls import ReportedEvents, ReportedPage

logger = logging.getLogger(__name__)

_MAX_PAGES = 200  # more than the limit of a call: each page either moves the position, or another process moved it


@dataclass(frozen=True)
class RelayEvents:
    """Relay a call's reported events. Runners are not trusted: skip everything that they may not report."""

    reported: ReportedEvents

    def __call__(self, call_id: CallId) -> bool:
        """Relay all events that the call's runner has reported so far. Return False if that must be repeated."""
        failed: ReportedPage | None = None
        try:
            for _ in range(_MAX_PAGES):
                page = self.reported.read(call_id)
                if page is None or (failed and failed.previous == page.previous):
                    return True  # the second failure at one position: the turn has ended
                if not self.reported.relay(page, list(_readable(page))):
                    failed = page
                elif page.is_last:
                    return True
        except Unavailable:
            logger.warning("reported events are delayed", extra={"call_id": call_id}, exc_info=True)
            return False
        return True

    def finish(self, call_id: CallId) -> None:
        """Relay the last events of a call before its result is published. Ignore all that its runner reports later."""
        self(call_id)
        self.reported.close(call_id)


def _readable(page: ReportedPage) -> Iterator[NewEvent]:
    for document in page.documents:
        try:
            yield parse_reported_event(page.call_id, document)
        except ValueError:
            logger.warning("skipped an unreadable event of a runner", extra={"call_id": page.call_id})
