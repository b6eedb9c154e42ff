import pytest

from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.transcript import DynamoTranscript
from satchel.adapters.dynamodb.turns import DynamoTurns
from satchel.adapters.s3_files import S3Files
from satchel.domain.conversation import AssistantMessage, ProposedCall, ToolMessage, UserMessage
from satchel.domain.ids import SessionId
from satchel.domain.sessions import Session, Turn, TurnStatus
from tests.integration.aws.makers import a_call, a_turn, at_once, fresh


@pytest.fixture
def transcript(table: Table, store: S3Files) -> DynamoTranscript:
    return DynamoTranscript(table, store)


@pytest.fixture
def turn(table: Table, session: Session) -> Turn:
    return DynamoTurns(table).begin(a_turn(session, "first"), None)


def asks(*refs: str) -> AssistantMessage:
    return AssistantMessage(
        text="", calls=[ProposedCall(tool="report.summarise", arguments="{not json", ref=ref) for ref in refs]
    )


def result(ref: str) -> ToolMessage:
    return ToolMessage(ref=ref, tool="report.summarise", content={"results": {"rows": 3, "none": None}})


def test_the_talk_comes_back_in_order_whatever_the_order_of_writing(
    transcript: DynamoTranscript, table: Table, session: Session, turn: Turn
) -> None:
    transcript.add_result(a_call(turn, 0, 1), result("b"))
    transcript.add_reply(turn, 1, AssistantMessage(text="so"))
    transcript.add_result(a_call(turn, 0, 0), result("a"))
    transcript.add_reply(turn, 0, asks("a", "b"))
    turns = DynamoTurns(table)
    turns.end(turn.model_copy(update={"status": TurnStatus.COMPLETE}))
    turns.begin(a_turn(session, "second"), None)

    assert transcript.messages(session.session_id) == [
        UserMessage(text="first"),
        asks("a", "b"),
        result("a"),
        result("b"),
        AssistantMessage(text="so"),
        UserMessage(text="second"),
    ]


def test_an_untouched_session_has_nothing_to_tell(transcript: DynamoTranscript) -> None:
    assert transcript.messages(SessionId(fresh("s"))) == []


def test_the_first_reply_of_a_round_stands(transcript: DynamoTranscript, session: Session, turn: Turn) -> None:
    where = (session.session_id, turn.turn_id, 0)

    assert transcript.stored_reply(*where) is None
    assert transcript.add_reply(turn, 0, asks("a")) == asks("a")
    assert transcript.add_reply(turn, 0, asks("other")) == asks("a")
    assert transcript.stored_reply(*where) == asks("a")


def test_two_replies_at_once_are_one(transcript: DynamoTranscript, session: Session, turn: Turn) -> None:
    where = (session.session_id, turn.turn_id, 0)

    came = at_once(
        [
            lambda: transcript.add_reply(turn, 0, asks("a")),
            lambda: transcript.add_reply(turn, 0, asks("b")),
        ],
    )

    assert came == [transcript.stored_reply(*where)] * 2


def test_the_first_result_of_a_call_stands(transcript: DynamoTranscript, session: Session, turn: Turn) -> None:
    call = a_call(turn)

    transcript.add_result(call, result("a"))
    transcript.add_result(call, ToolMessage(ref="a", tool="report.summarise", content={}, failed=True))

    assert transcript.messages(session.session_id)[1:] == [result("a")]


def test_a_long_talk_comes_back_whole(transcript: DynamoTranscript, session: Session, turn: Turn) -> None:
    for number in range(8):
        transcript.add_reply(turn, number, AssistantMessage(text=str(number) * 200_000))

    said = transcript.messages(session.session_id)[1:]

    assert [message.text[:2] for message in said if isinstance(message, AssistantMessage)] == [
        "00", "11", "22", "33", "44", "55", "66", "77",
    ]  # fmt: skip


def test_a_message_that_no_item_could_hold_lies_in_the_bucket_and_comes_back_whole(
    transcript: DynamoTranscript, store: S3Files, session: Session, turn: Turn
) -> None:
    large = asks(*(f"r{number}" for number in range(40))).model_copy(update={"text": "é" * 80_000})
    for call in large.calls:
        call.arguments = '{"text": "' + "x" * 20_000 + '"}'

    assert transcript.add_reply(turn, 0, large) == large
    other = large.model_copy(update={"text": "other" * 10_000})
    assert transcript.add_reply(turn, 0, other) == large
    assert transcript.messages(session.session_id)[1:] == [large]
    assert (
        sum(store.delete_under(f"{turn.user}/turns/{turn.turn_id}/texts/")) == 2
    )  # the one that stands, and the other
    with pytest.raises(LookupError, match="is gone"):
        transcript.messages(session.session_id)
