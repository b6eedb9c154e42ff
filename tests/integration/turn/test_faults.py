"""Whatever function fails, and wherever in its work: each turn ends once, and no file is lost or there twice."""

import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import BotoCoreError

from local.runners.context import Handler
from satchel.adapters import clients
from satchel.adapters.dynamodb.table import Table
from satchel.bootstrap.api import services
from satchel.bootstrap.storage import storage
from satchel.domain.approvals import Decision
from satchel.domain.errors import Unavailable
from satchel.domain.events import ENDS
from satchel.domain.files import FileRecord
from satchel.domain.identity import Identity
from satchel.domain.places import UNKEPT
from satchel.domain.responses import FinalResponse
from satchel.domain.sessions import Turn
from tests.integration.turn.faults import Faults, When, Work
from tests.integration.turn.model import Plan
from tests.integration.turn.turns import Asker, Turns, handler_of

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

pytestmark = pytest.mark.timeout(300)
SEED = 4
TURNS, ASKERS, AT_ONCE = 100, 20, 8
API = "api"
STATES = {
    "think": Work(2, 8),
    "approval": Work(1, 4),
    "dispatch": Work(2, 9),
    "run-bench": Work(2, 6),
    "normalize": Work(2, 13),
    "finish": Work(1, 7),
}
WORKS = {API: Work(1, 5), **STATES}


class Story:
    """A hundred turns of twenty people; everything that they do fails now and then."""

    def __init__(self, turns: Turns, faults: Faults) -> None:
        self.turns = turns
        self.faults = faults
        self.askers = [turns.asker() for _ in range(ASKERS)]
        with ExitStack() as stack:
            for function in STATES:
                faulty = faults.handler(function, handler_of(function), dies=function.startswith("run-"))
                stack.enter_context(turns.instead(function, agreed(faulty) if function == "approval" else faulty))
            with ThreadPoolExecutor(AT_ONCE) as pool:
                self.told = [turn for ended in pool.map(self._ask, self.askers) for turn in ended]
        self.answers = [turns.response(turn) for turn in self.told]

    def _ask(self, asker: Asker) -> list[Turn]:
        """One after the other: each needs the session that the one before must have freed."""
        return [self.turns.end(self._begin(asker, number), 60) for number in range(TURNS // ASKERS)]

    def _begin(self, asker: Asker, number: int) -> Turn:
        """Send a message until it is taken."""
        key = f"{asker.session_id}-{number}"
        try:
            return self.faults.meet(API, key, lambda: self.turns.begin(asker, plan(number), key))
        except (BotoCoreError, Unavailable):
            return self.turns.begin(asker, plan(number), key)

    def of(self, asker: Asker) -> list[FinalResponse]:
        return [answer for answer in self.answers if answer.session_id == asker.session_id]


def plan(number: int) -> Plan:
    """Two files: one of a name of its own, and one that every turn of the session writes anew."""
    own, shared = {"name": f"{number}.txt", "text": f"{number}"}, {"name": "shared.txt", "text": f"shared {number}"}
    return [[("write", own), ("ask" if number % 2 else "write", shared)]]


def agreed(asking: Handler) -> Handler:
    """Have the owner say yes as soon as he is asked."""

    def ask(event: Any, context: Any) -> object:  # noqa: ANN401  (a Lambda handler)
        asked = asking(event, context)
        who, yes = Identity(name=event["user"]), Decision(approved=True)
        services().decide_approval(who, event["session_id"], event["turn_id"], event["call_id"], yes)
        return asked

    return ask


@pytest.fixture(scope="module")
def story(turns: Turns) -> Iterator[Story]:
    faults = Faults(SEED, WORKS)
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
        assert Counter(event.type for event in told)["tool_complete"] == 2


def test_no_session_is_left_locked(story: Story) -> None:
    for asker in story.askers:
        session = storage().sessions.get(asker.who.name, asker.session_id)
        assert session is not None
        assert session.running_turn is None


def test_what_the_answers_name_is_what_the_table_has_is_what_the_bucket_has(story: Story) -> None:
    s3 = clients.s3()
    table = Table(clients.dynamodb(), os.environ["SATCHEL_TABLE"])
    for asker in story.askers:
        answers = story.of(asker)
        named = [(file.file_key, file.version) for answer in answers for file in answer.artifacts]
        items = table.query_all(f"USER#{asker.who.name}", "VERSION#")
        records = [FileRecord.model_validate_json(str(item["doc"])) for item in items]
        assert sorted(named) == sorted((record.file_key, record.version) for record in records)
        assert sorted(record.key for record in records) == sorted(stays(s3, asker.who.name))


def test_every_call_that_went_well_left_the_file_that_it_wrote(story: Story) -> None:
    made = 0
    for asker in story.askers:
        for answer in story.of(asker):
            wrote = {str(call.results) for call in answer.tool_calls if not call.is_error}
            assert {body(asker, file.file_key, file.version) for file in answer.artifacts} == wrote
            assert len(answer.artifacts) == len(wrote)
            made += len(wrote)
    assert made > TURNS  # most of the two hundred


def test_what_went_wrong_is_said_in_words(story: Story) -> None:
    said = Counter(
        call.error_code for asker in story.askers for answer in story.of(asker) for call in answer.tool_calls
    )
    assert set(said) <= {None, "E_TOOL_FAILED", "E_TOOL_CRASHED", "E_FORBIDDEN"}


def stays(s3: "S3Client", user: str) -> list[str]:
    """Return the keys of a person's objects that the bucket does not drop by itself, once for each version of one."""
    found = s3.list_object_versions(Bucket=os.environ["SATCHEL_BUCKET"], Prefix=f"{user}/")
    keys = [version["Key"] for version in found.get("Versions", [])]
    tags = {key: s3.get_object_tagging(Bucket=os.environ["SATCHEL_BUCKET"], Key=key)["TagSet"] for key in set(keys)}
    return [key for key in keys if {tag["Key"]: tag["Value"] for tag in tags[key]} != UNKEPT]


def body(asker: Asker, file_key: str, version: int) -> str | None:
    record = storage().files.version(asker.who.name, file_key, version)
    text = storage().store.read(record.key, 1000) if record else None
    return text.decode() if text is not None else None
