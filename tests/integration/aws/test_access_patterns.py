"""What each access pattern costs: the requests are counted, and docs/data-model.md says the same.

No request is a Scan, every Query has a Limit, and none of them costs more because a person has more.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType

from satchel.adapters import clients
from satchel.adapters.dynamodb.calls import DynamoCalls
from satchel.adapters.dynamodb.events import DynamoEvents
from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.retention import DynamoFileReaper, DynamoSessionPurger
from satchel.adapters.dynamodb.sessions import DynamoSessions
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.transcript import DynamoTranscript
from satchel.adapters.dynamodb.turns import DynamoTurns
from satchel.domain.conversation import AssistantMessage, TokenUsage
from satchel.domain.events import NewEvent
from satchel.domain.files import FileFilter
from satchel.domain.ids import SessionId, UserName
from satchel.domain.sessions import Session, SessionChanges, Turn, TurnStatus
from tests.fakes.storage import FakeFileStore
from tests.integration.aws.cloud import ACCOUNT, REGION, make_table
from tests.integration.aws.makers import START, TravelClock, a_call, a_file, a_session, a_turn, fresh, someone

if TYPE_CHECKING:
    from satchel.domain.files import FileRecord

DOCUMENT = Path(__file__).parents[3] / "docs" / "data-model.md"
FILES = 30
_WORDS = {"GetItem": "Get", "PutItem": "Put", "UpdateItem": "Update", "DeleteItem": "Delete", "Query": "Query"}


class Recorder:
    """Notes what a client is asked, by its own hooks."""

    def __init__(self, table: str) -> None:
        client = clients.dynamodb.__wrapped__()
        client.meta.events.register("provide-client-params.dynamodb", self._note)
        self.table = Table(client, table)
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def _note(self, params: dict[str, Any], model: Any, **_more: object) -> None:  # noqa: ANN401  (botocore's)
        self.asked.append((model.name, dict(params)))

    def words(self) -> str:
        """Say what was asked: ``2 Get, 1 Transact (8)``."""
        return ", ".join(f"{count} {word}" for word, count in Counter(map(_word, self.asked)).items())


def _word(asked: tuple[str, dict[str, Any]]) -> str:
    operation, params = asked
    if operation == "TransactWriteItems":
        return f"Transact ({len(params['TransactItems'])})"
    if operation == "BatchGetItem":
        return f"BatchGet ({sum(len(each['Keys']) for each in params['RequestItems'].values())})"
    if operation == "BatchWriteItem":
        return f"BatchWrite ({sum(len(each) for each in params['RequestItems'].values())})"
    return _WORDS[operation]


class Somebody:
    """A person with a session, a turn that runs, and many files."""

    def __init__(self, table: Table) -> None:
        self.user = someone()
        self.session: Session = a_session(self.user)
        DynamoSessions(table).create(self.session)
        self.second = a_session(self.user)
        DynamoSessions(table).create(self.second)
        self.turn: Turn = a_turn(self.session)
        DynamoTurns(table).begin(self.turn, None)
        self.call = a_call(self.turn)
        DynamoCalls(table, STORE).add([self.call])
        keep, sid = DynamoFiles(table).keep, self.session.session_id
        # All are counted in one place (``file_items.usage_key``): who removes many goes place by place.
        self.files: list[FileRecord] = [
            keep(a_file(self.user, sid, f"{number}.csv", object_id=f"{fresh('f')[:-1]}0")) for number in range(FILES)
        ]
        self.waiting: FileRecord = keep(
            a_file(self.user, sid, "draft", expires_at=int(START.timestamp()) + 60, source="deferred")
        )

    @property
    def of_session(self) -> FileFilter:
        return FileFilter(session_id=self.session.session_id)


STORE = FakeFileStore()
LOG = NewEvent(type="turn_started", payload={"session_id": "s"})
BEGINNING = FileFilter(name_prefix="1")
Pattern = Callable[[Somebody, Table], object]
_AT = START + timedelta(hours=1)
PATTERNS: dict[str, Pattern] = {
    "start a session": lambda _, t: DynamoSessions(t).create(a_session(someone())),
    "read a session": lambda s, t: DynamoSessions(t).get(UserName(s.user), s.session.session_id),
    "list sessions": lambda s, t: DynamoSessions(t).list(UserName(s.user), 10, None),
    "change a session": lambda s, t: DynamoSessions(t).change(
        UserName(s.user), s.session.session_id, SessionChanges(title="x")
    ),
    "end a session": lambda s, t: DynamoSessions(t).end(UserName(s.user), s.session.session_id, _AT),
    "find idle sessions": lambda _, t: DynamoSessions(t).idle(_AT, 10),
    "begin a turn": lambda s, t: DynamoTurns(t).begin(a_turn(s.second), None),
    "begin a turn, with a key": lambda s, t: DynamoTurns(t).begin(a_turn(s.second), "key"),
    "read a turn": lambda s, t: DynamoTurns(t).get(s.session.session_id, s.turn.turn_id),
    "list turns": lambda s, t: DynamoTurns(t).list(s.session.session_id, 10, None),
    "count the tokens of a turn": lambda s, t: DynamoTurns(t).spent(
        s.turn, TokenUsage(input_tokens=1, output_tokens=1)
    ),
    "end a turn": lambda s, t: DynamoTurns(t).end(s.turn.model_copy(update={"status": TurnStatus.COMPLETE})),
    "read a conversation": lambda s, t: DynamoTranscript(t, STORE).messages(s.session.session_id),
    "store a model message": lambda s, t: DynamoTranscript(t, STORE).add_reply(s.turn, 0, AssistantMessage(text="Hi")),
    "write an event": lambda s, t: DynamoEvents(t, TravelClock()).append(s.turn.turn_id, LOG),
    "read events after a cursor": lambda s, t: DynamoEvents(t, TravelClock()).after(s.turn.turn_id, 0, 100),
    "read a call": lambda s, t: DynamoCalls(t, STORE).get(s.turn.turn_id, s.call.call_id),
    "list the calls of a turn": lambda s, t: DynamoCalls(t, STORE).list(s.turn.turn_id),
    "store a new file": lambda s, t: DynamoFiles(t).keep(a_file(s.user, s.session.session_id, "new.csv")),
    "store a new version": lambda s, t: DynamoFiles(t).keep(a_file(s.user, s.session.session_id, "0.csv")),
    "read a file": lambda s, t: DynamoFiles(t).get(UserName(s.user), s.files[0].file_key),
    "read a version": lambda s, t: DynamoFiles(t).version(UserName(s.user), s.files[0].file_key, 1),
    "list files": lambda s, t: DynamoFiles(t).list(UserName(s.user), 10, None),
    "list files of a session": lambda s, t: DynamoFiles(t).list(UserName(s.user), 10, None, s.of_session),
    "list files by name prefix": lambda s, t: DynamoFiles(t).list(
        UserName(s.user), 5, None, FileFilter(name_prefix="1")
    ),
    "find a file by name": lambda s, t: next(DynamoFiles(t).named(UserName(s.user), s.session.session_id, "3.csv")),
    "find a file of another session by name": lambda s, t: next(
        DynamoFiles(t).named(UserName(s.user), SessionId("s" + "0" * 26), "3.csv")
    ),
    "read storage usage": lambda s, t: DynamoFiles(t).usage(UserName(s.user)),
    "remove a file": lambda s, t: DynamoFiles(t).remove(s.files[0]),
    "remove ten files": lambda s, t: DynamoFileReaper(t).remove(s.files[:10]),
    "keep a deferred file": lambda s, t: DynamoFileReaper(t).promote(s.waiting, while_open=False),
    "find expired files": lambda _, t: DynamoFileReaper(t).due(_AT, 10),
    "delete the events of a session": lambda s, t: DynamoSessionPurger(t).forget_events(s.session.session_id),
}


@dataclass(frozen=True)
class Kept:
    """A table of one person alone, since what is due must be theirs, and all that it held when nothing was asked."""

    recorder: Recorder
    somebody: Somebody
    items: defaultdict[DynamoType, Any]

    def again(self) -> None:
        """Let the table be as it was."""
        dynamodb_backends[ACCOUNT][REGION].tables[self.recorder.table.name].items = deepcopy(self.items)
        self.recorder.asked.clear()


@pytest.fixture(scope="module")
def kept(cloud: None) -> Kept:
    del cloud
    recorder = Recorder(make_table())
    somebody = Somebody(recorder.table)
    return Kept(recorder, somebody, deepcopy(dynamodb_backends[ACCOUNT][REGION].tables[recorder.table.name].items))


@pytest.fixture
def recorder(kept: Kept) -> Recorder:
    kept.again()
    return kept.recorder


@pytest.fixture
def somebody(kept: Kept) -> Somebody:
    return kept.somebody


def documented() -> dict[str, str]:
    """Return what the document says of each pattern."""
    table = DOCUMENT.read_text("utf-8").partition("| question | how | cost |\n|---|---|---|\n")[2].partition("\n\n")[0]
    return dict(re.findall(r"^\| ([^|]+?) \| [^|]* \| ([^|]+?) \|$", table, re.MULTILINE))


@pytest.mark.parametrize("question", PATTERNS)
def test_a_pattern_costs_what_the_document_says(recorder: Recorder, somebody: Somebody, question: str) -> None:
    PATTERNS[question](somebody, recorder.table)
    assert recorder.words() == documented()[question]
    assert not any(operation == "Scan" for operation, _ in recorder.asked)
    queries = [params for operation, params in recorder.asked if operation == "Query"]
    assert all(1 <= params["Limit"] <= 1000 for params in queries)


def test_every_pattern_is_documented() -> None:
    assert documented().keys() == PATTERNS.keys()
