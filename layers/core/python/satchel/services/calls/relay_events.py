"""Add the events that a runner reports to the events of its turn (functions push and record_tool_result)."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from satchel.domain.errors import Unavailable
from satchel.domain.events import NewEvent
from satchel.domain.ids import CallId
from satchel.domain.reported_events import parse_reported_event
from satchel.ports.calls import LatestReports, RelayPosition, ReportedEvents, ReportedPage

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
                if not self.reported.relay(page, readable_events(page)):
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
            self.reported.relay(page, readable_events(page))
        return None


def readable_events(page: ReportedPage) -> Sequence[NewEvent]:
    """Return the events of a page that its runner may report. Log a warning for each of the others."""
    return list(_readable(page))


def _readable(page: ReportedPage) -> Iterator[NewEvent]:
    for document in page.documents:
        try:
            yield parse_reported_event(page.call_id, document)
        except ValueError:
            logger.warning("skipped an unreadable event of a runner", extra={"call_id": page.call_id})
