"""Whatever function fails, and wherever in its work: each turn ends once, is told of whole, and no file is lost."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

import pytest

from satchel.adapters import clients
from satchel.adapters.dynamodb.table import Table
from satchel.bootstrap.functions import use_cases
from satchel.domain.events import ENDS
from satchel.domain.files import FileRecord
from satchel.domain.ids import FileKey, SessionId
from satchel.domain.metrics import TOOL_CALLS
from satchel.domain.metrics import TURNS as TURNS_ENDED
from satchel.domain.object_keys import UNKEPT
from tests.integration.turn import beside
from tests.integration.turn.faults import Faults, When
from tests.integration.turn.following import as_told
from tests.integration.turn.story import ROUNDS, TURNS, WORKS, Story
from tests.integration.turn.turns import Asker, Turns

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

pytestmark = pytest.mark.timeout(300)
SEED = 4


@pytest.fixture(scope="module")
def story(turns: Turns) -> Iterator[Story]:
    faults = Faults(SEED, WORKS)
    beside.put_up()
    with faults.between_us_and_aws():
        turns.set_times(heartbeat=2, call=30)
        yield Story(turns, faults)


def test_every_function_failed_in_every_way(story: Story) -> None:
    assert set(story.faults.happened) == set(product(WORKS, When))
    assert sum(story.faults.happened.values()) > TURNS


def test_every_turn_came_to_its_answer_and_said_so_once(story: Story) -> None:
    assert len({turn.turn_id for turn in story.told}) == TURNS
    assert Counter(turn.status for turn in story.told) == {"complete": TURNS}
    for turn in story.told:
        told = story.turns.events(turn)
        assert [event.type for event in told if event.type in ENDS] == ["response_complete"]
        assert told[-1].type == "response_complete"
        assert Counter(event.type for event in told)["tool_complete"] == len(json.loads(turn.message)[0])


def test_every_event_came_to_who_followed_once_and_in_order(story: Story) -> None:
    for turn in story.told:
        assert story.heard[turn.turn_id] == as_told(story.turns.events(turn))
    assert sum(page.cuts for page in story.pages) > TURNS / 10


def test_nothing_is_counted_twice(story: Story) -> None:
    """What was counted by nobody is what a function died of after it was written."""
    figures = story.turns.metrics
    calls = sum(len(answer.tool_calls) for answer in story.answers)
    assert TURNS * 0.8 < len(figures.of(TURNS_ENDED)) <= TURNS
    assert calls * 0.8 < len(figures.of(TOOL_CALLS)) <= calls


def test_no_session_is_left_locked(story: Story) -> None:
    for asker in story.askers:
        session = use_cases().ports.sessions.get(asker.who.name, SessionId(asker.session_id))
        assert session is not None
        assert session.running_turn is None
        assert session.ended_at is not None


def test_what_the_answers_name_is_what_the_table_has_is_what_the_bucket_has(story: Story) -> None:
    """Neither the draft that expired nor what was to go with the session, both of which everybody had, is there."""
    s3 = clients.s3()
    for asker in story.askers:
        answers = story.of(asker)
        named = [(file.file_key, file.version) for answer in answers for file in answer.artifacts]
        records = [FileRecord.model_validate_json(str(item["doc"])) for item in of_user(asker, "VERSION#")]
        assert sorted(named) == sorted((record.file_key, record.version) for record in records)
        assert sorted(record.key for record in records) == sorted(stays(s3, asker.who.name))


def test_every_call_that_went_well_left_the_file_that_it_wrote(story: Story) -> None:
    made = calls = 0
    for asker in story.askers:
        for answer in story.of(asker):
            wrote = {str(call.results) for call in answer.tool_calls if not call.is_error}
            assert {body(asker, file.file_key, file.version) for file in answer.artifacts} == wrote
            assert len(answer.artifacts) == len(wrote)
            made += len(wrote)
            calls += len(answer.tool_calls)
    assert made > calls / 2


def test_what_went_wrong_is_said_in_words(story: Story) -> None:
    said = Counter(
        call.error_code for asker in story.askers for answer in story.of(asker) for call in answer.tool_calls
    )
    assert set(said) <= {None, "E_TOOL_FAILED", "E_TOOL_CRASHED", "E_FORBIDDEN"}


def test_nothing_is_left_of_who_left(story: Story) -> None:
    for leaver in story.leavers:
        story.until_erased(leaver)
        assert of_user(leaver, "") == []
        assert versions(clients.s3(), leaver.who.name) == []


def test_the_tools_are_known_as_they_are(story: Story) -> None:
    server = use_cases().refresh_tools.registry.servers["bench"]
    kept = use_cases().ports.tool_lists.get("bench", server.config_hash())
    assert kept is not None
    assert kept.tools == story.turns.bench.list_tools()


def test_each_change_of_the_keys_was_made_once(story: Story) -> None:
    assert story
    keys = beside.signing_keys()
    newest = ROUNDS + 1
    assert set(keys) == {"newest", *(f"k{number}" for number in (newest - 1, newest, newest + 1))}
    assert keys["newest"] == f"k{newest}"


def of_user(asker: Asker, prefix: str) -> list[dict[str, object]]:
    table = Table(clients.dynamodb(), os.environ["SATCHEL_TABLE"])
    return [dict(item) for item in table.query_all(f"USER#{asker.who.name}", prefix)]


def versions(s3: "S3Client", user: str) -> list[str]:
    """Return the keys of a person's objects, once for each version of one."""
    found = s3.list_object_versions(Bucket=os.environ["SATCHEL_BUCKET"], Prefix=f"{user}/")
    return [version["Key"] for version in found.get("Versions", [])]


def stays(s3: "S3Client", user: str) -> list[str]:
    """Return the keys of those versions that the bucket does not drop by itself."""
    keys, bucket = versions(s3, user), os.environ["SATCHEL_BUCKET"]
    tags = {key: s3.get_object_tagging(Bucket=bucket, Key=key)["TagSet"] for key in set(keys)}
    return [key for key in keys if {tag["Key"]: tag["Value"] for tag in tags[key]} != UNKEPT]


def body(asker: Asker, file_key: str, version: int) -> str | None:
    record = use_cases().ports.files.version(asker.who.name, FileKey(file_key), version)
    text = use_cases().ports.store.read(record.key, 1000) if record else None
    return text.decode() if text is not None else None
