"""The requests of each access pattern, as documented in docs/data-model.md.

No pattern uses Scan, and every Query has a Limit, so the cost does not grow with the user's data.
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
from satchel.adapters.dynamodb.calls import DynamoCalls, DynamoClaims
from satchel.adapters.dynamodb.chat_links import DynamoChatLinks
from satchel.adapters.dynamodb.chat_words import DynamoChatWords
from satchel.adapters.dynamodb.events import LAST_NUMBERS, DynamoEvents
from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.personal_tokens import DynamoPersonalTokens
from satchel.adapters.dynamodb.quotas import DynamoQuotaCounts
from satchel.adapters.dynamodb.retention import DynamoFileReaper, DynamoSessionPurger
from satchel.adapters.dynamodb.runner_events import DynamoEventReporter, DynamoReportedEvents
from satchel.adapters.dynamodb.sessions import DynamoSessions
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.transcript import DynamoTranscript, ReadTurn, TurnCache
from satchel.adapters.dynamodb.turns import DynamoTurns
from satchel.adapters.dynamodb.uploads import DynamoUploads
from satchel.adapters.dynamodb.user_settings import DynamoUserSettings
from satchel.domain.chat_links import ChatLink
from satchel.domain.conversation import AssistantMessage, TokenUsage, UserMessage
from satchel.domain.events import NewEvent
from satchel.domain.files import FileFilter
from satchel.domain.ids import LinkId, SessionId, TokenId, TurnId, UserName
from satchel.domain.personal_tokens import PersonalToken
from satchel.domain.sessions import MAX_TEMPORARY_AGE, ImportedParts, Rating, Session, SessionChanges, Turn, TurnStatus
from satchel.domain.steps import CallStep, TurnStep
from satchel.domain.turn_messages import TurnMessages
from satchel.domain.uploads import PART_BYTES, Upload
from satchel.domain.users import Identity, UserSettings
from satchel.services.sessions.search_chats import SearchChats
from tests.fakes.storage import FakeFileStore
from tests.fakes.system import FakeClock
from tests.integration.aws.cloud import ACCOUNT, REGION, make_table
from tests.integration.aws.factories import (
    START,
    make_call,
    make_file,
    make_session,
    make_turn,
    new_file_key,
    new_user,
    random_id,
)
from tests.integration.aws.stored_steps import END, add_calls, end_call, make_relay, make_round, make_steps, start_call

if TYPE_CHECKING:
    from satchel.domain.calls import Call
    from satchel.domain.files import FileRecord

DOCUMENT = Path(__file__).parents[3] / "docs" / "data-model.md"
FILE_COUNT = 30
_SHORT_NAMES = {"GetItem": "Get", "PutItem": "Put", "UpdateItem": "Update", "DeleteItem": "Delete", "Query": "Query"}


class Recorder:
    """A table whose client records its requests."""

    def __init__(self, table: str) -> None:
        client = clients.dynamodb.__wrapped__()
        client.meta.events.register("provide-client-params.dynamodb", self._record)
        self.table = Table(client, table)
        self.requests: list[tuple[str, dict[str, Any]]] = []

    def _record(self, params: dict[str, Any], model: Any, **_kwargs: object) -> None:  # noqa: ANN401  (botocore's)
        self.requests.append((model.name, dict(params)))

    def summary(self) -> str:
        """Return the number of requests of each kind, such as ``2 Get, 1 Transact (8)``."""
        return ", ".join(f"{count} {kind}" for kind, count in Counter(map(_kind, self.requests)).items())


def _kind(request: tuple[str, dict[str, Any]]) -> str:
    operation, params = request
    if operation == "TransactWriteItems":
        return f"Transact ({len(params['TransactItems'])})"
    if operation == "BatchGetItem":
        return f"BatchGet ({sum(len(each['Keys']) for each in params['RequestItems'].values())})"
    if operation == "BatchWriteItem":
        return f"BatchWrite ({sum(len(each) for each in params['RequestItems'].values())})"
    return _SHORT_NAMES[operation]


def make_chat_link(session: Session) -> ChatLink:
    link_id = LinkId(random_id("l"))
    return ChatLink(
        link_id=link_id,
        owner=session.user,
        session_id=session.session_id,
        epoch=1,
        with_files=False,
        created_at=START,
        expires_at=START + timedelta(days=7),
        token_digest=f"digest of {link_id}",
    )


class SampleData:
    """A user with two sessions, a running turn, a call and many files."""

    def __init__(self, table: Table) -> None:
        self.user = new_user()
        self.session: Session = make_session(self.user)
        DynamoSessions(table).create(self.session)
        self.second = make_session(self.user)
        DynamoSessions(table).create(self.second)
        DynamoSessions(table).create(make_session(new_user(), temporary=True, last_used_at=_AT + timedelta(days=1)))
        imported = make_turn(self.second, "Greetings", answer="Hi.", imported=ImportedParts())
        DynamoTurns(table).add_imported(self.second, [imported])
        self.turn: Turn = make_turn(self.session)
        DynamoTurns(table).begin(self.turn, None)
        DynamoEvents(table, FakeClock(START)).append(self.turn.turn_id, TEXT)
        self.call: Call = make_call(self.turn)
        add_calls(table, STORE, [self.call])
        proposed = make_call(self.turn, 0, 1)
        add_calls(table, STORE, [proposed])
        start_call(make_steps(table, STORE), proposed, 8)
        running = DynamoCalls(table, STORE).get(self.turn.turn_id, proposed.call_id)
        assert running is not None
        self.running: Call = running
        DynamoEventReporter(table).report(self.call.call_id, LOG)
        save, sid = DynamoFiles(table).save, self.session.session_id
        # All keys end in the same character, so the files share one usage counter and one removal transaction.
        self.link: ChatLink = make_chat_link(self.session)
        self.second_link: ChatLink = make_chat_link(self.second)
        for link in (self.link, self.second_link):
            DynamoChatLinks(table).add(link)
        self.token: PersonalToken = make_token(self.user, TokenId(random_id("p")))
        DynamoPersonalTokens(table).add(self.token, 20)
        self.files: list[FileRecord] = [
            save(make_file(self.user, sid, f"{number}.csv", object_id=f"{new_file_key()[:-1]}0"))
            for number in range(FILE_COUNT)
        ]
        self.deferred: FileRecord = save(
            make_file(self.user, sid, "draft", expires_at=int(START.timestamp()) + 60, source="deferred")
        )

    @property
    def step(self) -> TurnStep:
        return TurnStep(**self.call.model_dump(include={"user", "session_id", "turn_id"}), round=1)

    @property
    def call_step(self) -> CallStep:
        return CallStep(**self.call.model_dump(include={"user", "session_id", "turn_id", "call_id"}))

    @property
    def session_filter(self) -> FileFilter:
        return FileFilter(session_id=self.session.session_id)


def _delete_for_good(sample: SampleData, table: Table) -> None:
    DynamoSessions(table).end(sample.user, sample.session.session_id, _AT)
    DynamoSessions(table).delete(sample.user, sample.session.session_id)


def _delete_records(sample: SampleData, table: Table) -> None:
    purger = DynamoSessionPurger(table)
    assert list(purger.delete_turns(sample.session)) == [sample.turn.turn_id]
    purger.delete_rest(sample.session)


def _imported_turn(sample: SampleData) -> Turn:
    return make_turn(sample.second).model_copy(update={"answer": "Hi.", "imported": ImportedParts()})


def _cache(sample: SampleData) -> TurnCache:
    """Return the cache of a process that has read a long conversation before the sample's turn."""
    cache = TurnCache()
    message = TurnMessages([UserMessage(text="before")])
    earlier = [ReadTurn(TurnId(f"t0{number:02}"), None, message, is_final=True, chars=6) for number in range(20)]
    cache.put(sample.session.session_id, earlier)
    return cache


def _search(sample: SampleData, table: Table) -> None:
    search = SearchChats(DynamoSessions(table), DynamoChatWords(table), DynamoTurns(table))
    [match] = search(Identity(name=sample.user, groups=frozenset()), "greet", None).items
    assert match.snippet == "Greetings"


STORE = FakeFileStore()
TEXT = NewEvent(type="token_stream", payload={"text": "Hi"})
TOKENS = TokenUsage(input_tokens=1, output_tokens=1)
LOG = NewEvent(type="tool_log", payload={"level": "info", "message": "hello"})
Pattern = Callable[[SampleData, Table], object]
_AT = START + timedelta(hours=1)
_TOKEN_ID = TokenId("p" + 26 * "0")


def make_token(user: str, token_id: TokenId) -> PersonalToken:
    return PersonalToken(
        token_id=token_id,
        user=UserName(user),
        groups=frozenset({"users"}),
        name="program",
        digest="0" * 64,
        created_at=START,
        expires_at=_AT,
    )


def _renew_token(sample: SampleData, table: Table) -> None:
    tokens = DynamoPersonalTokens(table)
    token = tokens.get(UserName(sample.user), sample.token.token_id)
    assert token is not None
    tokens.replace(token, token.model_copy(update={"digest": "1" * 64}))


def _renew_link(sample: SampleData, table: Table) -> None:
    links = DynamoChatLinks(table)
    link = links.get(UserName(sample.user), sample.second_link.link_id)
    assert link is not None
    links.replace(link, link.model_copy(update={"token_digest": f"other {link.token_digest}"}), _AT)


PATTERNS: dict[str, Pattern] = {
    "start a session": lambda _, t: DynamoSessions(t).create(make_session(new_user())),
    "read a session": lambda s, t: DynamoSessions(t).get(UserName(s.user), s.session.session_id),
    "list sessions": lambda s, t: DynamoSessions(t).list(UserName(s.user), 10, None),
    "change a session": lambda s, t: DynamoSessions(t).update(
        UserName(s.user), s.session.session_id, SessionChanges(title="x")
    ),
    "read a user's settings": lambda s, t: DynamoUserSettings(t).get(UserName(s.user)),
    "change a user's settings": lambda s, t: DynamoUserSettings(t).save(
        UserName(s.user), UserSettings(instructions="x"), _AT
    ),
    "make a personal token": lambda s, t: DynamoPersonalTokens(t).add(make_token(s.user, _TOKEN_ID), 20),
    "replace the secret of a personal token": _renew_token,
    "check a personal token": lambda s, t: DynamoPersonalTokens(t).get(UserName(s.user), _TOKEN_ID),
    "list personal tokens": lambda s, t: DynamoPersonalTokens(t).list(UserName(s.user)),
    "revoke a personal token": lambda s, t: DynamoPersonalTokens(t).remove(UserName(s.user), _TOKEN_ID),
    "store the use of a personal token": lambda s, t: DynamoPersonalTokens(t).mark_used(
        UserName(s.user), _TOKEN_ID, _AT
    ),
    "rate an answer": lambda s, t: DynamoTurns(t).rate(s.session.session_id, s.turn.turn_id, Rating.UP),
    "search conversations": _search,
    "share a conversation": lambda s, t: DynamoChatLinks(t).add(make_chat_link(s.session)),
    "replace the secret of a link to a conversation": _renew_link,
    "find a shared conversation": lambda s, t: DynamoChatLinks(t).find(s.link.token_digest),
    "list links to conversations": lambda s, t: DynamoChatLinks(t).list(UserName(s.user), 50, None),
    "revoke a link to a conversation": lambda s, t: DynamoChatLinks(t).remove(UserName(s.user), s.link.link_id),
    "end a session": lambda s, t: DynamoSessions(t).end(UserName(s.user), s.session.session_id, _AT),
    "start a temporary session": lambda s, t: DynamoSessions(t).create(make_session(UserName(s.user), temporary=True)),
    "find old temporary sessions": lambda _, t: DynamoSessions(t).list_old_temporary(_AT + MAX_TEMPORARY_AGE, 1),
    "find idle sessions": lambda _, t: DynamoSessions(t).list_idle(_AT, 10),
    "find running turns": lambda _, t: list(DynamoSessions(t).list_running(_AT)),
    "begin a turn": lambda s, t: DynamoTurns(t).begin(make_turn(s.second), None),
    "begin a turn, with a key": lambda s, t: DynamoTurns(t).begin(make_turn(s.second), "key"),
    "read a turn": lambda s, t: DynamoTurns(t).get(s.session.session_id, s.turn.turn_id),
    "list turns": lambda s, t: DynamoTurns(t).list(s.session.session_id, 10, None),
    "count the tokens of a discarded reply": lambda s, t: DynamoTurns(t).add_usage(s.turn, TOKENS),
    "end a turn": lambda s, t: DynamoTurns(t).end(
        s.turn.model_copy(update={"status": TurnStatus.COMPLETE}), END, {"a.b": 1}
    ),
    "end a turn with its answer": lambda s, t: make_steps(t, STORE).save_answer(
        s.turn,
        make_round(0, AssistantMessage(text="Hi"), [], TOKENS, TEXT),
        s.turn.model_copy(update={"status": TurnStatus.COMPLETE, "usage": TOKENS}),
        END,
        {"a.b": 1},
    ),
    "read a conversation": lambda s, t: DynamoTranscript(t, STORE).list_turns(s.session.session_id),
    "read the rest of a long conversation": lambda s, t: DynamoTranscript(t, STORE, _cache(s)).list_turns(
        s.session.session_id, s.turn.turn_id
    ),
    "read what a round needs": lambda s, t: make_steps(t, STORE).read_round(s.step),
    "store a round": lambda s, t: make_steps(t, STORE).save_round(
        s.turn, make_round(0, AssistantMessage(text="Hi"), [make_call(s.turn, 1, 0)], TOKENS, TEXT)
    ),
    "write an event": lambda s, t: DynamoEvents(t, FakeClock(START)).append(s.turn.turn_id, TEXT),
    "read events after a cursor": lambda s, t: DynamoEvents(t, FakeClock(START)).list_after(s.turn.turn_id, 0, 100),
    "read what a call needs": lambda s, t: make_steps(t, STORE).read_call(s.call_step),
    "start a tool call": lambda s, t: start_call(make_steps(t, STORE), s.call, 8),
    "read an ended call": lambda s, t: make_steps(t, STORE).read_ended_call(s.call),
    "end a tool call": lambda s, t: end_call(make_steps(t, STORE), s.running),
    "read what the end of a turn needs": lambda s, t: make_steps(t, STORE).read_end(s.step),
    "relay the events of a runner": lambda s, t: make_relay(t, STORE, FakeClock(START))(s.call.call_id),
    "find out whether a question is answered": lambda s, t: DynamoClaims(t).read_answer(s.call.call_id, "1-0"),
    "stop a call": lambda s, t: DynamoReportedEvents(t, FakeClock(START)).stop(s.call.call_id),
    "find out whether a call is stopped": lambda s, t: DynamoClaims(t).is_stopped(s.call.call_id),
    "read a call": lambda s, t: DynamoCalls(t, STORE).get(s.turn.turn_id, s.call.call_id),
    "list the calls of a turn": lambda s, t: DynamoCalls(t, STORE).list(s.turn.turn_id),
    "store a new file": lambda s, t: DynamoFiles(t).save(make_file(s.user, s.session.session_id, "new.csv")),
    "store a new version": lambda s, t: DynamoFiles(t).save(make_file(s.user, s.session.session_id, "0.csv")),
    "read a file": lambda s, t: DynamoFiles(t).get(UserName(s.user), s.files[0].file_key),
    "list the versions of a file": lambda s, t: DynamoFiles(t).list_versions(
        UserName(s.user), s.files[0].file_key, 50, None
    ),
    "read a version": lambda s, t: DynamoFiles(t).get_version(UserName(s.user), s.files[0].file_key, 1),
    "list files": lambda s, t: DynamoFiles(t).list(UserName(s.user), 10, None),
    "list files of a session": lambda s, t: DynamoFiles(t).list(UserName(s.user), 10, None, s.session_filter),
    "list files by name prefix": lambda s, t: DynamoFiles(t).list(
        UserName(s.user), 5, None, FileFilter(name_prefix="1")
    ),
    "find a file by name": lambda s, t: next(
        DynamoFiles(t).list_by_name(UserName(s.user), s.session.session_id, "3.csv")
    ),
    "find a file of another session by name": lambda s, t: next(
        DynamoFiles(t).list_by_name(UserName(s.user), SessionId("s" + "0" * 26), "3.csv")
    ),
    "start an upload": lambda s, t: DynamoUploads(t).add(
        Upload(file=make_file(s.user, None, "big"), store_id="u", part_bytes=PART_BYTES, expires_at=_AT)
    ),
    "read the use of quotas": lambda s, t: DynamoQuotaCounts(t).read(s.user, START),
    "read storage usage": lambda s, t: DynamoFiles(t).usage(UserName(s.user)),
    "remove a file": lambda s, t: DynamoFiles(t).remove(s.files[0]),
    "remove ten files": lambda s, t: DynamoFileReaper(t).remove(s.files[:10]),
    "keep a deferred file": lambda s, t: DynamoFileReaper(t).promote(s.deferred, while_open=False),
    "find expired files": lambda _, t: DynamoFileReaper(t).list_expired(_AT, 10),
    "delete the events of a session": lambda s, t: DynamoSessionPurger(t).delete_events(s.session.session_id),
    "delete a session for good": _delete_for_good,
    "delete the records of a deleted session": _delete_records,
    "add imported turns": lambda s, t: DynamoTurns(t).add_imported(s.second, [_imported_turn(s) for _ in range(2)]),
}


@dataclass(frozen=True)
class Snapshot:
    """A table with the sample data of a single user, and a copy of its items."""

    recorder: Recorder
    sample: SampleData
    items: defaultdict[DynamoType, Any]

    def restore(self) -> None:
        """Restore the table's items, and forget the recorded requests."""
        dynamodb_backends[ACCOUNT][REGION].tables[self.recorder.table.name].items = deepcopy(self.items)
        self.recorder.requests.clear()
        LAST_NUMBERS.clear()


@pytest.fixture(scope="module")
def snapshot(cloud: None) -> Snapshot:
    del cloud
    recorder = Recorder(make_table())
    sample = SampleData(recorder.table)
    return Snapshot(recorder, sample, deepcopy(dynamodb_backends[ACCOUNT][REGION].tables[recorder.table.name].items))


@pytest.fixture
def recorder(snapshot: Snapshot) -> Recorder:
    snapshot.restore()
    return snapshot.recorder


@pytest.fixture
def sample(snapshot: Snapshot) -> SampleData:
    return snapshot.sample


def documented() -> dict[str, str]:
    """Return the documented cost of each pattern."""
    table = DOCUMENT.read_text("utf-8").partition("| question | how | cost |\n|---|---|---|\n")[2].partition("\n\n")[0]
    return dict(re.findall(r"^\| ([^|]+?) \| [^|]* \| ([^|]+?) \|$", table, re.MULTILINE))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_pattern_costs_what_the_document_says(recorder: Recorder, sample: SampleData, pattern: str) -> None:
    PATTERNS[pattern](sample, recorder.table)
    assert recorder.summary() == documented()[pattern]
    assert not any(operation == "Scan" for operation, _ in recorder.requests)
    queries = [params for operation, params in recorder.requests if operation == "Query"]
    assert all(1 <= params["Limit"] <= 1000 for params in queries)


def test_every_pattern_is_documented() -> None:
    assert documented().keys() == PATTERNS.keys()
