from typing import TYPE_CHECKING, Any

import pytest

from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.transcript import DynamoTranscript
from satchel.adapters.dynamodb.turns import DynamoTurns, end_turn
from satchel.adapters.s3_files import S3Files
from satchel.domain.conversation import AssistantMessage, Message, ProposedCall, TokenUsage, ToolMessage, UserMessage
from satchel.domain.sessions import Session, Turn, TurnStatus
from satchel.domain.turn_messages import messages_of
from tests.integration.aws.factories import make_call, make_turn, new_session_id
from tests.integration.aws.stored_steps import END, add_reply, add_result, make_round, make_steps

if TYPE_CHECKING:
    from satchel.domain.ids import TurnId


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

    assert messages_of(transcript.list_turns(session.session_id)) == [
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

    assert messages_of(transcript.list_turns(session.session_id)) == [old, AssistantMessage(text="answer"), new]


class Conversation:
    """A session whose turns each call a tool, and a transcript that has read it before."""

    def __init__(self, transcript: DynamoTranscript, session: Session) -> None:
        self.transcript, self.session = transcript, session
        self.turns = DynamoTurns(transcript.table)
        self.ids: list[TurnId] = []
        self.running = make_turn(session)

    def add(self, number: int = 1, **fields: object) -> None:
        """Add turns with an answer and read the conversation in each of them, as Think does."""
        for _ in range(number):
            turn = self.begin(**fields)
            add_reply(self.transcript.table, self.transcript.store, turn, 0, tool_request("a"))
            self.result(turn)
            self.end(turn)

    def begin(self, **fields: object) -> Turn:
        self.running = self.turns.begin(make_turn(self.session, f"message {len(self.ids)}", **fields), None)
        self.ids.append(self.running.turn_id)
        self.read()
        return self.running

    def result(self, turn: Turn) -> None:
        add_result(self.transcript.table, self.transcript.store, make_call(turn, 0, 0), tool_result("a"))

    def end(self, turn: Turn, status: TurnStatus = TurnStatus.COMPLETE) -> None:
        ended = turn.model_copy(update={"status": status, "answer": f"answer {turn.turn_id}"})
        assert end_turn(self.transcript.table, ended, TokenUsage(), [END], {}, answered_round=1)

    def read(self) -> list[Message]:
        """Read what the latest turn follows. It must be what a new process reads."""
        read = messages_of(self.transcript.list_turns(self.session.session_id, self.ids[-1]))
        new = DynamoTranscript(self.transcript.table, self.transcript.store)
        assert read == messages_of(new.list_turns(self.session.session_id, self.ids[-1]))
        return read

    def items_read(self) -> int:
        """Return how many items of the table a reader of the latest turn reads."""
        read = 0
        client = self.transcript.table.client

        def count(parsed: dict[str, Any], **_: object) -> None:
            nonlocal read
            read += parsed["Count"]

        client.meta.events.register("after-call.dynamodb.Query", count)
        try:
            self.transcript.list_turns(self.session.session_id, self.ids[-1])
        finally:
            client.meta.events.unregister("after-call.dynamodb.Query", count)
        return read


@pytest.fixture
def conversation(transcript: DynamoTranscript, session: Session) -> Conversation:
    return Conversation(transcript, session)


def test_long_conversation_is_read_from_its_last_turns_on(conversation: Conversation) -> None:
    conversation.add(19)
    conversation.begin()
    assert conversation.items_read() == 19 * 3 + 1
    conversation.end(conversation.running)
    conversation.add(5)
    conversation.begin()
    assert conversation.items_read() == 1
    assert len(conversation.read()) == 19 * 4 + 2 + 5 * 4 + 1


def test_late_result_of_an_ended_turn_is_read_in_a_long_conversation(conversation: Conversation) -> None:
    conversation.add(20)
    cancelled = conversation.begin()
    add_reply(conversation.transcript.table, conversation.transcript.store, cancelled, 0, tool_request("a"))
    conversation.end(cancelled, TurnStatus.CANCELLED)
    conversation.add(2)
    conversation.begin()
    before = conversation.read()
    conversation.result(cancelled)
    after = conversation.read()
    assert len(after) == len(before) + 1
    assert tool_result("a") in after[20 * 4 :][:3]
    conversation.read()
    assert conversation.items_read() == 1  # nothing can follow any more


def test_running_turn_of_a_long_conversation_is_read_again_in_each_round(conversation: Conversation) -> None:
    conversation.add(25)
    turn = conversation.begin()
    add_reply(conversation.transcript.table, conversation.transcript.store, turn, 0, tool_request("a"))
    assert conversation.read()[-1] == tool_request("a")
    conversation.result(turn)
    assert conversation.read()[-1] == tool_result("a")


def test_turn_that_ends_while_its_own_round_reads_is_read_again(conversation: Conversation) -> None:
    """The round may have read the turn's messages before they were complete, and its end after that."""
    conversation.add(25)
    turn = conversation.begin()
    conversation.end(turn)
    conversation.read()
    missed = AssistantMessage(text="a reply that was stored between the two queries")
    add_reply(conversation.transcript.table, conversation.transcript.store, turn, 0, missed)
    conversation.begin()
    assert missed in conversation.read()


def test_long_conversation_is_read_without_the_turns_of_other_branches(conversation: Conversation) -> None:
    conversation.add(25)
    conversation.add(after=conversation.ids[9])
    conversation.add()
    conversation.begin(after="start")
    assert conversation.read() == [UserMessage(text="message 27")]
    conversation.end(conversation.running)
    conversation.add(after=conversation.ids[26])
    texts = [message.text for message in conversation.read() if isinstance(message, UserMessage)]
    assert texts == [f"message {number}" for number in [*range(10), 25, 26, 28]]


def test_large_text_of_another_branch_is_not_read_in_a_short_conversation(
    conversation: Conversation, store: S3Files
) -> None:
    turn = conversation.begin()
    add_reply(conversation.transcript.table, store, turn, 0, AssistantMessage(text="x" * 400_000))
    conversation.end(turn)
    conversation.begin(after="start")
    assert sum(store.delete_prefix(f"{turn.user}/turns/{turn.turn_id}/texts/")) == 1
    assert conversation.read() == [UserMessage(text="message 1")]


def test_round_of_an_earlier_turn_is_read_whole(conversation: Conversation) -> None:
    """A step that AWS repeats late belongs to a turn that later turns follow."""
    conversation.add(25)
    earlier = messages_of(conversation.transcript.list_turns(conversation.session.session_id, conversation.ids[21]))
    assert earlier == conversation.read()[: 22 * 4]


def test_large_text_of_a_long_conversation_is_read_from_the_bucket_once(
    conversation: Conversation, store: S3Files
) -> None:
    turn = conversation.begin()
    add_reply(conversation.transcript.table, store, turn, 0, AssistantMessage(text="x" * 400_000))
    conversation.end(turn)
    conversation.add(20)
    latest = conversation.begin()
    before = conversation.read()
    assert sum(store.delete_prefix(f"{turn.user}/turns/{turn.turn_id}/texts/")) == 1
    assert messages_of(conversation.transcript.list_turns(latest.session_id, latest.turn_id)) == before


def test_new_session_has_no_messages(transcript: DynamoTranscript) -> None:
    assert messages_of(transcript.list_turns(new_session_id())) == []


def test_long_conversation_is_read_completely(transcript: DynamoTranscript, session: Session, turn: Turn) -> None:
    for number in range(8):
        add_reply(transcript.table, transcript.store, turn, number, AssistantMessage(text=str(number) * 200_000))

    messages = messages_of(transcript.list_turns(session.session_id))[1:]

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
    assert messages_of(transcript.list_turns(session.session_id))[1:] == [large]
    # Both were stored in the bucket; the item has the key of the first.
    assert sum(store.delete_prefix(f"{turn.user}/turns/{turn.turn_id}/texts/")) == 2
    with pytest.raises(LookupError, match="was deleted"):
        messages_of(transcript.list_turns(session.session_id))
