"""Fitting a long conversation into a budget of tokens: which parts are shortened or dropped, and in which order."""

import json

from hypothesis import given
from hypothesis import strategies as st

from satchel.domain.conversation import AssistantMessage, Message, ToolMessage, ToolSpec, UserMessage
from satchel.domain.history import split_turns
from satchel.domain.token_budget import estimate_tokens, fit_to_budget, message_tokens, tool_tokens
from tests.unit.contract.strategies import many
from tests.unit.domain.conversations import assert_normalized, calls_reply, conversations, normalize_history, result

LONG = "x" * 3_000
QUESTION = UserMessage(text="And now?")


def make_turn(number: int, results: str = LONG) -> list[Message]:
    ref = f"c{number}"
    question = UserMessage(text=f"Question {number}")
    return [question, calls_reply(ref), result(ref, results), AssistantMessage(text=f"Answer {number}")]


def conversation(*turns: list[Message]) -> list[Message]:
    return normalize_history([message for turn in turns for message in turn])


def size(messages: list[Message]) -> int:
    return sum(map(message_tokens, messages))


def shortened(messages: list[Message]) -> list[bool]:
    return ["shortened" in message.content for message in messages if isinstance(message, ToolMessage)]


def test_token_is_estimated_as_three_bytes_rounded_up() -> None:
    assert [estimate_tokens(text) for text in ("", "a", "abc", "abcd", "日本", "\ud800")] == [0, 1, 1, 2, 2, 1]


def test_all_parts_of_messages_and_tools_count() -> None:
    assert message_tokens(UserMessage(text="abcd")) == 2 + 8
    assert message_tokens(calls_reply("a", text="abc", arguments='{"a": 1}')) == 1 + 8 + (4 + 3 + 8)
    assert message_tokens(result("a", "é")) == estimate_tokens('{"results": "é"}') + 4 + 8
    tool = ToolSpec(server="s", name="t", description="abc", input_schema={"a": 1})
    assert tool_tokens(tool) == 1 + 1 + estimate_tokens(json.dumps({"a": 1})) + 8


def test_conversation_within_the_budget_is_unchanged() -> None:
    normalized = conversation(make_turn(1), make_turn(2), [QUESTION])
    fitted = fit_to_budget(normalized, size(normalized) + 64)
    assert (fitted.messages, fitted.note) == (normalized, "")


def test_file_lists_of_earlier_messages_are_removed_before_any_result_is_shortened() -> None:
    questions = [UserMessage(text=f"Question {number}", file_list=LONG) for number in range(3)]
    turns = [[question, *make_turn(1, "a")[1:]] for question in questions]
    normalized = conversation(*turns[:2], turns[2][:1])
    fitted = fit_to_budget(normalized, size(normalized) - 100)
    messages = [message for message in fitted.messages if isinstance(message, UserMessage)]
    assert [message.file_list for message in messages] == ["", LONG, LONG]
    assert fitted.messages[1:] == normalized[1:]
    assert [m.file_list for m in fit_to_budget(normalized, 500).messages if isinstance(m, UserMessage)] == [LONG]


def test_oldest_results_are_shortened_first_to_beginning_and_end() -> None:
    normalized = conversation(make_turn(1, "begin" + LONG + "end"), make_turn(2), make_turn(3), [QUESTION])
    fitted = fit_to_budget(normalized, size(normalized) - 100)
    assert shortened(fitted.messages) == [True, False, False]
    shortened_result = fitted.messages[2]
    assert isinstance(shortened_result, ToolMessage)
    assert shortened_result.content["results"].startswith("begin")
    assert shortened_result.content["results"].endswith("end")
    assert "[… 2708 characters left out …]" in shortened_result.content["results"]
    assert shortened_result.content["data_from"] == "report.echo"
    assert [m for m in fitted.messages if m is not shortened_result] == [
        m for m in normalized if m is not normalized[2]
    ]


def test_shortened_result_keeps_its_file_names() -> None:
    turn = make_turn(1)
    turn[2] = result("c1", LONG, files=["a.csv"], meta_data={"rows": 3})
    shortened_result = fit_to_budget(conversation(turn, [QUESTION]), 700).messages[2]
    assert isinstance(shortened_result, ToolMessage)
    assert (shortened_result.content["files"], "meta_data" in shortened_result.content) == (["a.csv"], False)


def test_shortened_results_are_the_same_for_many_rounds() -> None:
    turns = [make_turn(number) for number in range(20)]
    results_by_length = []
    for word_count in range(10):
        normalized = conversation(*turns, [UserMessage(text="word " * word_count)])
        results_by_length.append(shortened(fit_to_budget(normalized, size(conversation(*turns)) - 2_000).messages))
    assert results_by_length == [results_by_length[0]] * 10


def test_oldest_turns_are_dropped_whole_with_a_note_for_the_model() -> None:
    normalized = conversation(*(make_turn(number, "short") for number in range(10)), [QUESTION])
    fitted = fit_to_budget(normalized, size(normalized) // 2 + 64)
    assert split_turns(fitted.messages) == split_turns(normalized)[fitted.dropped_turns :]
    assert 5 <= fitted.dropped_turns <= 7
    assert fitted.note.endswith(f"is left out: {fitted.dropped_turns} turns.")
    assert estimate_tokens(fitted.note) <= 64


def test_results_of_the_latest_round_are_shortened_last() -> None:
    rounds: list[Message] = [
        calls_reply("a"),
        result("a", LONG),
        calls_reply("b", "c"),
        result("b", LONG),
        result("c", LONG),
    ]
    normalized = conversation(make_turn(1), [QUESTION, *rounds])
    latest = [QUESTION, *normalized[-3:]]
    fitted = fit_to_budget(normalized, size(latest) + 64)
    assert (fitted.messages, fitted.dropped_turns, fitted.dropped_rounds) == (latest, 1, 1)
    assert fitted.note.endswith(": 1 turn, 1 round of tool calls.")
    assert shortened(fit_to_budget(normalized, size(latest) + 63).messages) == [True, False]


def test_oldest_rounds_of_a_long_turn_are_dropped() -> None:
    arguments = json.dumps({"text": LONG})
    normalized = conversation(
        [QUESTION, *(m for n in range(5) for m in (calls_reply(f"c{n}", arguments=arguments), result(f"c{n}")))]
    )
    fitted = fit_to_budget(normalized, 3_000)
    assert fitted.messages == [QUESTION, *normalized[1 + 2 * fitted.dropped_rounds :]]
    assert fitted.dropped_rounds >= 2
    assert fitted.note.endswith(f"{fitted.dropped_rounds} rounds of tool calls.")


@many
@given(conversations, st.integers(0, 6_000))
def test_any_conversation_fits_if_possible_and_keeps_the_latest_question(
    messages: list[Message], max_tokens: int
) -> None:
    normalized = normalize_history(messages)
    fitted = fit_to_budget(normalized, max_tokens)
    assert_normalized(fitted.messages)
    assert split_turns(fitted.messages)[-1][0] == split_turns(normalized)[-1][0]
    smallest = fit_to_budget(normalized, 0)
    assert size(fitted.messages) <= max(max_tokens - 64, size(smallest.messages))
    assert smallest.dropped_turns == len(split_turns(normalized)) - 1
    assert fit_to_budget(normalized, max_tokens) == fitted
