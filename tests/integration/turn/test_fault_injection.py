"""Functions fail at any point of their work: each turn still ends once, with all its events, and no file is lost."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from itertools import product
from typing import TYPE_CHECKING

import pytest

from satchel.adapters import clients
from satchel.adapters.dynamodb.table import Table
from satchel.bootstrap.functions import use_cases
from satchel.domain.events import FINAL_EVENTS
from satchel.domain.files import FileRecord
from satchel.domain.ids import FileKey, SessionId
from satchel.domain.metrics import TOOL_CALLS
from satchel.domain.metrics import TURNS as TURNS_ENDED
from satchel.domain.object_keys import UNCLAIMED_TAGS
from satchel.services.turns import finish_turn
from tests.integration.turn import background_functions
from tests.integration.turn.chaos_run import MIN_ROUNDS, QUESTIONS, SESSIONS, TURNS, WORKLOADS, ChaosRun
from tests.integration.turn.event_follower import as_received
from tests.integration.turn.faults import FaultInjector, FaultPoint
from tests.integration.turn.turn_driver import TurnDriver, UserSession

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

pytestmark = pytest.mark.timeout(900)
SEED = 4


@pytest.fixture(scope="module")
def run(turns: TurnDriver) -> Iterator[ChaosRun]:
    faults = FaultInjector(SEED, WORKLOADS)
    background_functions.create_functions()
    with faults.patched_clients(), pytest.MonkeyPatch.context() as patch:
        turns.set_timeouts(heartbeat=15)  # on a busy machine, a living runner may be late
        os.environ["SATCHEL_BEAT_SECONDS"] = "1"  # a runner that waits for an answer must be known to live
        # No turn is lost here, but on a busy machine one may be without an execution for some time.
        patch.setattr(finish_turn, "GRACE_PERIOD", timedelta(minutes=10))
        yield ChaosRun(turns, faults)


def test_every_function_failed_in_every_way(run: ChaosRun) -> None:
    assert set(run.faults.happened) == set(product(WORKLOADS, FaultPoint))
    assert sum(run.faults.happened.values()) > TURNS


def test_every_turn_is_complete_with_one_final_event(run: ChaosRun) -> None:
    assert len({turn.turn_id for turn in run.finished_turns}) == TURNS
    assert Counter(turn.status for turn in run.finished_turns) == {"complete": TURNS}
    for turn in run.finished_turns:
        events = run.turns.events(turn)
        assert [event.type for event in events if event.type in FINAL_EVENTS] == ["response_complete"]
        assert events[-1].type == "response_complete"
        assert Counter(event.type for event in events)["tool_complete"] == len(json.loads(turn.message)[0])


def test_every_event_is_received_once_and_in_order(run: ChaosRun) -> None:
    for turn in run.finished_turns:
        assert run.received_events[turn.turn_id] == as_received(run.turns.events(turn))
    assert sum(follower.cuts for follower in run.followers) > TURNS / 10


def test_no_metric_is_counted_twice(run: ChaosRun) -> None:
    """A metric may be missing if a function failed after it had stored the result."""
    metrics = run.turns.metrics
    calls = sum(len(response.tool_calls) for response in run.responses)
    assert TURNS * 0.8 < len(metrics.values_of(TURNS_ENDED)) <= TURNS
    assert calls * 0.8 < len(metrics.values_of(TOOL_CALLS)) <= calls


def test_no_session_stays_locked(run: ChaosRun) -> None:
    for session in run.sessions:
        stored = use_cases().ports.sessions.get(session.user.name, SessionId(session.session_id))
        assert stored is not None
        assert stored.running_turn is None
        assert stored.ended_at is not None


def test_responses_table_and_bucket_have_the_same_files(run: ChaosRun) -> None:
    """The expired and the temporary file of each session are deleted."""
    s3 = clients.s3()
    for session in run.sessions:
        responses = run.responses_of(session)
        file_versions = [(file.file_key, file.version) for response in responses for file in response.artifacts]
        records = [FileRecord.model_validate_json(str(item["doc"])) for item in user_items(session, "VERSION#")]
        assert sorted(file_versions) == sorted((record.file_key, record.version) for record in records)
        assert sorted(record.key for record in records) == sorted(claimed_keys(s3, session.user.name))


def test_every_successful_call_left_its_file(run: ChaosRun) -> None:
    successful = calls = 0
    for session in run.sessions:
        for response in run.responses_of(session):
            writes = [call for call in response.tool_calls if call.tool in {"bench.write", "bench.ask"}]
            results = {str(call.results) for call in writes if not call.is_error}
            assert {read_text(session, file.file_key, file.version) for file in response.artifacts} == results
            assert len(response.artifacts) == len(results)
            successful += len(results)
            calls += len(writes)
    assert successful > calls / 2


def test_every_question_is_asked_and_answered_at_most_once(run: ChaosRun) -> None:
    for turn in run.finished_turns:
        for kind in ("input_requested", "input_answered"):
            of_kind = [event for event in run.received_events[turn.turn_id] if event["type"] == kind]
            questions = [(event["call_id"], event["input_id"]) for event in of_kind]
            assert len(questions) == len(set(questions))
    assert all(len(call.replies) <= len(QUESTIONS) for call in run.turns.bench.interviews)


@pytest.mark.parametrize("tool", ["bench.inquire", "bench.interview"])
def test_every_asking_tool_that_succeeded_has_its_own_answer(run: ChaosRun, tool: str) -> None:
    asking = [(response.turn_id, call) for response in run.responses for call in response.tool_calls]
    results = [(turn_id, call.results) for turn_id, call in asking if call.tool == tool and not call.is_error]
    assert [turn_id for turn_id, _ in results] == [result for _, result in results]
    assert len(results) > SESSIONS / 4


def test_failed_calls_have_expected_error_codes(run: ChaosRun) -> None:
    error_codes = Counter(
        call.error_code
        for session in run.sessions
        for response in run.responses_of(session)
        for call in response.tool_calls
    )
    assert set(error_codes) <= {None, "E_TOOL_FAILED", "E_TOOL_CRASHED", "E_FORBIDDEN"}


def test_no_data_of_erased_users_is_left(run: ChaosRun) -> None:
    for erased_user in run.erased_users:
        run.wait_until_erased(erased_user)
        assert user_items(erased_user, "") == []
        assert version_keys(clients.s3(), erased_user.user.name) == []


def test_stored_tool_list_is_current(run: ChaosRun) -> None:
    server = use_cases().refresh_tools.registry.servers["bench"]
    stored = use_cases().ports.tool_lists.get("bench", server.config_hash())
    assert stored is not None
    assert stored.tools == run.turns.bench.list_tools()


def test_each_key_rotation_happened_once(run: ChaosRun) -> None:
    assert run
    keys = background_functions.signing_keys()
    newest = MIN_ROUNDS + 1
    assert set(keys) == {"newest", *(f"k{number}" for number in (newest - 1, newest, newest + 1))}
    assert keys["newest"] == f"k{newest}"


def user_items(session: UserSession, prefix: str) -> list[dict[str, object]]:
    table = Table(clients.dynamodb(), os.environ["SATCHEL_TABLE"])
    return [dict(item) for item in table.query_all(f"USER#{session.user.name}", prefix)]


def version_keys(s3: "S3Client", user: str) -> list[str]:
    """Return the keys of a user's objects, once for each version."""
    listing = s3.list_object_versions(Bucket=os.environ["SATCHEL_BUCKET"], Prefix=f"{user}/")
    return [version["Key"] for version in listing.get("Versions", [])]


def claimed_keys(s3: "S3Client", user: str) -> list[str]:
    """Return the keys of the object versions that the bucket's lifecycle does not delete."""
    keys, bucket = version_keys(s3, user), os.environ["SATCHEL_BUCKET"]
    tags = {key: s3.get_object_tagging(Bucket=bucket, Key=key)["TagSet"] for key in set(keys)}
    return [key for key in keys if {tag["Key"]: tag["Value"] for tag in tags[key]} != UNCLAIMED_TAGS]


def read_text(session: UserSession, file_key: str, version: int) -> str | None:
    record = use_cases().ports.files.get_version(session.user.name, FileKey(file_key), version)
    text = use_cases().ports.store.read(record.key, 1000) if record else None
    return text.decode() if text is not None else None
