"""The counts of quotas in the table, also when several requests reach a limit at the same moment."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar

import pytest

from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.quotas import DynamoQuotaCounts
from satchel.adapters.dynamodb.sessions import DynamoSessions
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.turns import DynamoTurns
from satchel.adapters.dynamodb.uploads import DynamoUploads
from satchel.adapters.dynamodb.user_purger import DynamoUserPurger
from satchel.adapters.dynamodb.users import DynamoErasures
from satchel.domain.errors import QuotaExceeded, StorageFull, TooManySessions, TooManyTurns, TooManyUploads
from satchel.domain.ids import CallId, UserName, call_id, turn_of
from satchel.domain.quotas import CALL_LEASE, Quotas, UserActivity
from satchel.domain.sessions import Session
from satchel.domain.uploads import PART_BYTES, Upload
from satchel.services.files.storage_quota import StorageQuota
from tests.fakes.storage import FakeFileStore
from tests.integration.aws.factories import (
    START,
    make_call,
    make_file,
    make_session,
    make_turn,
    new_turn_id,
    new_user,
    next_time,
    run_concurrently,
)
from tests.integration.aws.stored_steps import add_calls, make_steps, start_call

T = TypeVar("T")
STORE = FakeFileStore()
NEXT_MINUTE = START + timedelta(minutes=2)


def compete(functions: list[Callable[[], T]]) -> tuple[list[T], list[Exception]]:
    """Call all functions at the same moment. Return the results and the errors."""
    outcomes = run_concurrently(functions)
    errors = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    return [outcome for outcome in outcomes if not isinstance(outcome, Exception)], errors


def make_upload(user: UserName, size: int) -> Upload:
    file = make_file(user, None, "large.bin", size=size)
    return Upload(file=file, store_id="u", part_bytes=PART_BYTES, expires_at=next_time() + timedelta(days=1))


def new_call() -> CallId:
    """Return the id of a call of a new turn."""
    return call_id(new_turn_id(), 0, 0)


def start(counts: DynamoQuotaCounts, user: UserName, call: CallId, limit: int, now: datetime = START) -> bool:
    """Start a call of a running turn. Return False if the user runs ``limit`` calls."""
    proposed = make_call(make_turn(make_session(user), turn_id=turn_of(call)))
    if not counts.table.get(f"CALLS#{proposed.turn_id}", f"CALL#{call}"):
        add_calls(counts.table, STORE, [proposed])
    return start_call(make_steps(counts.table, STORE, now), proposed, limit)


@pytest.fixture
def counts(table: Table) -> DynamoQuotaCounts:
    return DynamoQuotaCounts(table)


def test_of_sessions_at_the_limit_exactly_one_starts(table: Table, user: UserName, counts: DynamoQuotaCounts) -> None:
    sessions = DynamoSessions(table)
    sessions.create(make_session(user), 3)
    sessions.create(make_session(user), 3)

    started, errors = compete([lambda: sessions.create(make_session(user), 3)] * 4)

    assert len(started) == 1
    assert [type(error) for error in errors] == [TooManySessions] * 3
    assert counts.read(user, START).open_sessions == len(sessions.list(user, 10, None).items) == 3


def test_session_that_ends_several_times_at_once_is_counted_once(
    table: Table, user: UserName, session: Session, counts: DynamoQuotaCounts
) -> None:
    sessions = DynamoSessions(table)
    sessions.create(make_session(user), 2)

    run_concurrently([lambda: sessions.end(user, session.session_id, START)] * 4)

    assert counts.read(user, START).open_sessions == 1


def test_of_turns_at_the_limit_exactly_one_starts(table: Table, user: UserName, counts: DynamoQuotaCounts) -> None:
    turns, sessions = DynamoTurns(table), [make_session(user) for _ in range(4)]
    for session in sessions:
        DynamoSessions(table).create(session)
    new = [make_turn(session, created_at=START + timedelta(seconds=15)) for session in sessions]

    started, errors = compete([lambda turn=turn: turns.begin(turn, None, 1) for turn in new])  # type: ignore[misc]

    assert len(started) == 1
    assert [type(error) for error in errors] == [TooManyTurns] * 3
    assert {error.retry_after for error in errors if isinstance(error, QuotaExceeded)} == {45}
    assert counts.read(user, START).turns_in_minute == 1
    assert [session for session in sessions if DynamoSessions(table).get(user, session.session_id).running_turn] == [  # type: ignore[union-attr]
        session for session in sessions if session.session_id == started[0].session_id
    ]
    assert counts.read(user, NEXT_MINUTE).turns_in_minute == 0
    refused = next(turn for turn in new if turn.turn_id != started[0].turn_id)
    turns.begin(refused.model_copy(update={"created_at": NEXT_MINUTE}), None, 1)


def test_repeated_turn_counts_once(table: Table, user: UserName, session: Session, counts: DynamoQuotaCounts) -> None:
    turns = DynamoTurns(table)
    repeats = [make_turn(session, created_at=START) for _ in range(4)]

    started, errors = compete([lambda turn=turn: turns.begin(turn, "key", 1) for turn in repeats])  # type: ignore[misc]

    assert errors == []
    assert len({turn.turn_id for turn in started}) == 1
    assert turns.begin(make_turn(session, created_at=START), "key", 1).turn_id == started[0].turn_id
    assert counts.read(user, START).turns_in_minute == 1


def test_of_uploads_at_the_limit_exactly_one_starts(table: Table, user: UserName, counts: DynamoQuotaCounts) -> None:
    uploads = DynamoUploads(table)

    def check(before: UserActivity) -> None:
        if before.uploads >= 1:
            raise TooManyUploads(1, before.uploads)

    started, errors = compete([lambda: uploads.add(make_upload(user, 10), check)] * 4)

    assert len(started) == 1
    assert [type(error) for error in errors] == [TooManyUploads] * 3
    active = counts.read(user, START)
    assert (active.uploads, active.upload_bytes) == (len(uploads.list(user, 10, None).items), 10) == (1, 10)


def test_uploads_that_start_at_once_never_reserve_more_than_the_storage_quota(
    table: Table, user: UserName, counts: DynamoQuotaCounts
) -> None:
    uploads, files = DynamoUploads(table), DynamoFiles(table)
    limits = Quotas(open_sessions=9, turns_per_minute=9, running_calls=9, uploads=9, stored_bytes=100)
    storage = StorageQuota(files=files, uploads=uploads, quotas=limits)
    files.save(make_file(user, None, "old", size=30))

    started, errors = compete(
        [lambda: uploads.add(make_upload(user, 40), lambda active: storage.check_upload(user, 40, active))] * 4
    )

    assert len(started) == 1
    assert [type(error) for error in errors] == [StorageFull] * 3
    assert counts.read(user, START).upload_bytes == 40


def test_upload_stops_counting_when_it_completes_or_is_aborted(
    table: Table, user: UserName, counts: DynamoQuotaCounts
) -> None:
    uploads, files = DynamoUploads(table), DynamoFiles(table)
    completed, aborted = make_upload(user, 10), make_upload(user, 20)
    uploads.add(completed)
    uploads.add(aborted)
    assert uploads.activity(user) == UserActivity(uploads=2, upload_bytes=30)

    popped, errors = compete([lambda: uploads.pop(user, aborted.upload_id)] * 4)
    saved, _ = compete([lambda: files.save_upload(completed.file)] * 3)

    assert errors == []
    assert [upload for upload in popped if upload] == [aborted]
    assert len({record.file_key for record in saved}) == 1
    active = counts.read(user, START)
    assert (active.uploads, active.upload_bytes, files.usage(user).bytes) == (0, 0, 10)
    uploads.add(make_upload(user, 5))
    assert uploads.activity(user) == UserActivity(uploads=1, upload_bytes=5)


def test_of_calls_at_the_limit_exactly_as_many_start_as_are_free(user: UserName, counts: DynamoQuotaCounts) -> None:
    calls = [new_call() for _ in range(6)]

    started, errors = compete([lambda call=call: start(counts, user, call, 2) for call in calls])  # type: ignore[misc]

    assert errors == []
    assert sorted(started) == [False] * 4 + [True] * 2
    assert counts.read(user, START).running_calls == 2


def test_ended_call_makes_room_and_a_call_without_a_slot_frees_none(user: UserName, counts: DynamoQuotaCounts) -> None:
    first, second, third = (new_call() for _ in range(3))
    assert start(counts, user, first, 1)
    assert start(counts, user, first, 1)  # safe to repeat
    assert not start(counts, user, second, 1)

    counts.end_calls(user, [second])
    assert not start(counts, user, second, 1)
    counts.end_calls(user, [first, third])
    assert start(counts, user, second, 1)
    counts.end_calls(user, [first])
    assert counts.read(user, START).running_calls == 1


def test_slot_of_a_call_without_an_end_is_free_after_sixteen_minutes(user: UserName, counts: DynamoQuotaCounts) -> None:
    assert start(counts, user, new_call(), 1)

    assert not start(counts, user, new_call(), 1, START + CALL_LEASE - timedelta(seconds=1))
    assert start(counts, user, new_call(), 1, START + CALL_LEASE)


def test_lower_limit_counts_calls_that_started_under_a_higher_one(user: UserName, counts: DynamoQuotaCounts) -> None:
    for _ in range(4):
        assert start(counts, user, new_call(), 4)

    assert not start(counts, user, new_call(), 2)


def test_counts_of_users_are_separate_and_erased_with_their_data(
    table: Table, user: UserName, counts: DynamoQuotaCounts
) -> None:
    other, session = new_user(), make_session(user)
    DynamoSessions(table).create(session, 1)
    DynamoTurns(table).begin(make_turn(session, created_at=START), None, 1)
    DynamoUploads(table).add(make_upload(user, 10))
    start(counts, user, new_call(), 1)
    expected = UserActivity(open_sessions=1, turns_in_minute=1, running_calls=1, uploads=1, upload_bytes=10)

    assert counts.read(user, START) == expected
    assert counts.read(other, START) == UserActivity()
    assert sum(DynamoUserPurger(table).erase(DynamoErasures(table).begin(user, START))) > 0
    assert counts.read(user, START) == UserActivity()
    assert table.query_all(f"USER#{user}", "") == []
