"""The form of a conversation that every provider takes."""

from hypothesis import given

from satchel.domain.conversation import AssistantMessage, Message, UserMessage
from satchel.domain.history import EMPTY_REPLY, NO_ANSWER, normalize_history
from tests.unit.contract.strategies import many
from tests.unit.domain.talks import ECHO, asks, assert_in_form, result, talks


def test_a_sound_conversation_stays_as_it_is_and_what_tools_returned_is_marked_as_data() -> None:
    talk: list[Message] = [
        UserMessage(text="?"),
        asks("a", "b", text="I look."),
        result("a"),
        result("b"),
        AssistantMessage(text="!"),
    ]
    told = normalize_history([*talk, UserMessage(text="And?")])
    marked = [result(ref).model_copy(update={"content": {"data_from": ECHO, "results": "ok"}}) for ref in "ab"]
    assert told == [*talk[:2], *marked, talk[4], UserMessage(text="And?")]


def test_a_turn_that_ended_without_an_answer_says_so_to_the_next() -> None:
    told = normalize_history(
        [UserMessage(text="1"), UserMessage(text="2"), asks("a"), result("a"), UserMessage(text="3")]
    )
    assert [message for message in told if isinstance(message, AssistantMessage) and not message.calls] == [
        AssistantMessage(text=NO_ANSWER)
    ] * 2
    assert told[-1] == UserMessage(text="3")


def test_a_call_that_was_cut_off_has_a_result_that_says_so_in_its_place() -> None:
    told = normalize_history([UserMessage(text="1"), asks("a", "b"), result("b"), UserMessage(text="2")])
    cut_off = told[2]
    assert cut_off == result("a", {"error": "The turn ended before this tool had answered."}).model_copy(
        update={"content": cut_off.model_dump()["content"], "failed": True}
    )
    assert_in_form(told)


def test_an_answer_without_words_gets_some() -> None:
    told = normalize_history([UserMessage(text="1"), AssistantMessage(text=" "), UserMessage(text="2")])
    assert told[1] == AssistantMessage(text=EMPTY_REPLY)


@many
@given(talks)
def test_whatever_was_kept_every_provider_takes_it(talk: list[Message]) -> None:
    told = normalize_history(talk)
    assert_in_form(told)
    assert normalize_history(told) == told
    assert [each for each in told if isinstance(each, UserMessage)] == [e for e in talk if isinstance(e, UserMessage)]
