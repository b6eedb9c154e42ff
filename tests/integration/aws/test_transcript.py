import pytest

from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.transcript import DynamoTranscript
from satchel.adapters.dynamodb.turns import DynamoTurns
from satchel.adapters.s3_files import S3Files
from satchel.domain.conversation import AssistantMessage, ProposedCall, ToolMessage, UserMessage
from satchel.domain.sessions import Session, Turn, TurnStatus
from tests.integration.aws.factories import make_call, make_turn, new_session_id
from tests.integration.aws.stored_steps import END, add_reply, add_result, make_round, make_steps


@pytest.fixture
def transcript(table: Table, store: S3Files) -> DynamoTranscript:
    return DynamoTranscript(table, store)


@pytest.fixture
def turn(table: Table, session: Session) -> Turn:
    return DynamoTurns(table).begin(make_turn(session, "first"), None)


def tool_request(*refs: str) -> AssistantMessage:
    return AssistantMessage(
        text="", calls=[ProposedCall(tool="report.summarise", arguments="{not json", ref=ref) for ref in refs]
    )


def tool_result(ref: str) -> ToolMessage:
    return ToolMessage(ref=ref, tool="report.summarise", content={"results": {"rows": 3, "none": None}})


def test_messages_are_listed_in_the_order_of_the_conversation(
    transcript: DynamoTranscript, table: Table, session: Session, turn: Turn
) -> None:
    store = transcript.store
    add_result(table, store, make_call(turn, 0, 1), tool_result("b"))
    add_reply(table, store, turn, 1, AssistantMessage(text="so"))
    add_result(table, store, make_call(turn, 0, 0), tool_result("a"))
    add_reply(table, store, turn, 0, tool_request("a", "b"))
    turns = DynamoTurns(table)
    turns.end(turn.model_copy(update={"status": TurnStatus.COMPLETE}), END, {})
    turns.begin(make_turn(session, "second"), None)

    assert transcript.list_messages(session.session_id) == [
        UserMessage(text="first"),
        tool_request("a", "b"),
        tool_result("a"),
        tool_result("b"),
        AssistantMessage(text="so"),
        UserMessage(text="second"),
    ]


def test_messages_of_an_older_version_are_listed_before_new_ones(
    transcript: DynamoTranscript, table: Table, session: Session, turn: Turn
) -> None:
    """Version 0.1.0 stored the user's message and the answer as items of their own."""
    pk = f"SESSION#{session.session_id}"
    with_prompt = table.get(pk, f"TURN#{turn.turn_id}")
    assert with_prompt is not None
    table.put({name: value for name, value in with_prompt.items() if name != "prompt"})
    old = UserMessage(text="first", file_list="\n[one file]")
    table.put({"pk": pk, "sk": f"MSG#{turn.turn_id}#00#u", "doc": old.model_dump_json()})
    add_reply(table, transcript.store, turn, 0, AssistantMessage(text="answer"))
    DynamoTurns(table).end(turn.model_copy(update={"status": TurnStatus.COMPLETE, "answer": "answer"}), END, {})
    new = UserMessage(text="second", file_list="\n[two files]")
    DynamoTurns(table).begin(make_turn(session, "second"), None, message=new)

    assert transcript.list_messages(session.session_id) == [old, AssistantMessage(text="answer"), new]


def test_new_session_has_no_messages(transcript: DynamoTranscript) -> None:
    assert transcript.list_messages(new_session_id()) == []


def test_long_conversation_is_read_completely(transcript: DynamoTranscript, session: Session, turn: Turn) -> None:
    for number in range(8):
        add_reply(transcript.table, transcript.store, turn, number, AssistantMessage(text=str(number) * 200_000))

    messages = transcript.list_messages(session.session_id)[1:]

    assert [message.text[:2] for message in messages if isinstance(message, AssistantMessage)] == [
        "00", "11", "22", "33", "44", "55", "66", "77",
    ]  # fmt: skip


def test_message_too_large_for_an_item_is_stored_in_the_bucket(
    transcript: DynamoTranscript, store: S3Files, session: Session, turn: Turn
) -> None:
    large = tool_request(*(f"r{number}" for number in range(40))).model_copy(update={"text": "é" * 80_000})
    for call in large.calls:
        call.arguments = '{"text": "' + "x" * 20_000 + '"}'

    steps = make_steps(transcript.table, store)
    assert steps.save_round(turn, make_round(0, large)) == large
    other = large.model_copy(update={"text": "other" * 10_000})
    assert steps.save_round(turn, make_round(0, other)) == large
    assert transcript.list_messages(session.session_id)[1:] == [large]
    # Both were stored in the bucket; the item has the key of the first.
    assert sum(store.delete_prefix(f"{turn.user}/turns/{turn.turn_id}/texts/")) == 2
    with pytest.raises(LookupError, match="was deleted"):
        transcript.list_messages(session.session_id)
