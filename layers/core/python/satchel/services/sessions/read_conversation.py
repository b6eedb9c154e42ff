"""Read a conversation whole: its session, and a page of its turns with their calls, files, approvals and questions."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from pydantic import BaseModel

from satchel.domain.calls import Approval
from satchel.domain.ids import SessionId
from satchel.domain.inputs import OpenInput
from satchel.domain.responses import FinalResponse
from satchel.domain.sessions import Session, Turn
from satchel.domain.size_limits import truncate
from satchel.domain.users import Identity
from satchel.ports import Page
from satchel.ports.turns import Approvals, Inputs
from satchel.services.sessions.sessions import ReadSessions
from satchel.services.turns.read_turn import ReadTurn

MAX_PAGE_BYTES = 2_500_000
"""A page has fewer turns than its limit if they are larger together. Lambda's response has at most 6 MB."""

_PARALLEL_READS = 8
_SHORT_RESULTS_CHARS = 2_000


class TurnRecord(BaseModel):
    """A turn with everything that belongs to it. ``questions`` are the latest of each call, without their answers."""

    turn: Turn
    response: FinalResponse
    approvals: list[Approval] = []
    questions: list[OpenInput] = []


@dataclass(frozen=True)
class ReadConversation:
    """Read a page of a conversation. The number of requests grows with the turns of the page, not with the rest."""

    read_session: ReadSessions
    read_turn: ReadTurn
    approvals: Approvals
    inputs: Inputs

    def __call__(
        self, who: Identity, session_id: SessionId, limit: int, cursor: str | None
    ) -> tuple[Session, Page[TurnRecord]]:
        """Return the session and a page of its turns, oldest first. Raise SessionNotFound or InvalidRequest."""
        session = self.read_session(who, session_id)
        page = self.read_session.list_turns(session, limit, cursor)
        with ThreadPoolExecutor(_PARALLEL_READS) as pool:
            records = list(pool.map(self._record, page.items))
        count = _count_fitting(records)
        if count < len(records):
            page = self.read_session.list_turns(session, count, cursor)
        return session, Page(items=records[:count], cursor=page.cursor)

    def _record(self, turn: Turn) -> TurnRecord:
        response = self.read_turn.describe(turn)
        record = TurnRecord(turn=turn, response=response)
        if response.tool_calls and turn.imported is None:
            questions = [each.to_open(posed) for each in self.inputs.list(turn.turn_id) for posed in each.posed]
            approvals = list(self.approvals.list(turn.turn_id))
            record = record.model_copy(update={"approvals": approvals, "questions": questions})
        return record if _size(record) <= MAX_PAGE_BYTES else _shorten(record)


def _count_fitting(records: Sequence[TurnRecord]) -> int:
    """Return how many of the first records fit into a page. The first one always does."""
    size = 0
    for count, record in enumerate(records):
        size += _size(record)
        if count and size > MAX_PAGE_BYTES:
            return count
    return len(records)


def _size(record: TurnRecord) -> int:
    return len(record.model_dump_json().encode())


def _shorten(record: TurnRecord) -> TurnRecord:
    """Shorten the results and arguments of the calls. A turn has at most 180 calls, so it fits then."""
    calls = [
        call.model_copy(update={"arguments": _text(call.arguments), "results": _text(call.results), "meta_data": None})
        for call in record.response.tool_calls
    ]
    return record.model_copy(update={"response": record.response.model_copy(update={"tool_calls": calls})})


def _text(value: object) -> str | None:
    return None if value is None else truncate(str(value), _SHORT_RESULTS_CHARS)
