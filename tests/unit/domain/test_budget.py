"""What is cut of a long conversation, and in which order."""

import json

from hypothesis import given
from hypothesis import strategies as st

from satchel.domain.conversation import AssistantMessage, Message, ToolMessage, ToolSpec, UserMessage
from satchel.domain.history import normalize_history, split_turns
from satchel.domain.token_budget import estimate_tokens, fit_to_budget, message_tokens, tool_tokens
from tests.unit.contract.strategies import many
from tests.unit.domain.talks import asks, assert_in_form, result, talks

LONG = "x" * 3_000
QUESTION = UserMessage(text="And now?")


def a_turn(number: int, results: str = LONG) -> list[Message]:
    ref = f"c{number}"
    question = UserMessage(text=f"Question {number}")
    return [question, asks(ref), result(ref, results), AssistantMessage(text=f"Answer {number}")]


def talk(*turns: list[Message]) -> list[Message]:
    return normalize_history([message for turn in turns for message in turn])


def size(messages: list[Message]) -> int:
    return sum(map(message_tokens, messages))


def shortened(messages: list[Message]) -> list[bool]:
    return ["shortened" in message.content for message in messages if isinstance(message, ToolMessage)]


def test_a_token_is_three_bytes_begun() -> None:
    assert [estimate_tokens(text) for text in ("", "a", "abc", "abcd", "日本", "\ud800")] == [0, 1, 1, 2, 2, 1]


def test_all_that_is_sent_of_a_message_and_of_a_tool_counts() -> None:
    assert message_tokens(UserMessage(text="abcd")) == 2 + 8
    assert message_tokens(asks("a", text="abc", arguments='{"a": 1}')) == 1 + 8 + (4 + 3 + 8)
    assert message_tokens(result("a", "é")) == estimate_tokens('{"results": "é"}') + 4 + 8
    tool = ToolSpec(server="s", name="t", description="abc", input_schema={"a": 1})
    assert tool_tokens(tool) == 1 + 1 + estimate_tokens(json.dumps({"a": 1})) + 8


def test_what_fits_stays_as_it_is() -> None:
    told = talk(a_turn(1), a_turn(2), [QUESTION])
    fitted = fit_to_budget(told, size(told) + 64)
    assert (fitted.messages, fitted.note) == (told, "")


def test_the_oldest_results_are_shortened_first_to_their_beginning_and_end() -> None:
    told = talk(a_turn(1, "begin" + LONG + "end"), a_turn(2), a_turn(3), [QUESTION])
    fitted = fit_to_budget(told, size(told) - 100)
    assert shortened(fitted.messages) == [True, False, False]
    cut = fitted.messages[2]
    assert isinstance(cut, ToolMessage)
    assert cut.content["results"].startswith("begin")
    assert cut.content["results"].endswith("end")
    assert "[… 2708 characters left out …]" in cut.content["results"]
    assert cut.content["data_from"] == "report.echo"
    assert [m for m in fitted.messages if m is not cut] == [m for m in told if m is not told[2]]


def test_the_names_of_files_stay_with_a_shortened_result() -> None:
    turn = a_turn(1)
    turn[2] = result("c1", LONG, files=["a.csv"], meta_data={"rows": 3})
    cut = fit_to_budget(talk(turn, [QUESTION]), 700).messages[2]
    assert isinstance(cut, ToolMessage)
    assert (cut.content["files"], "meta_data" in cut.content) == (["a.csv"], False)


def test_the_same_cut_stands_for_many_rounds() -> None:
    turns = [a_turn(number) for number in range(20)]
    cuts = []
    for words in range(10):
        told = talk(*turns, [UserMessage(text="word " * words)])
        cuts.append(shortened(fit_to_budget(told, size(talk(*turns)) - 2_000).messages))
    assert cuts == [cuts[0]] * 10


def test_then_the_oldest_turns_go_as_wholes_and_the_model_is_told() -> None:
    told = talk(*(a_turn(number, "short") for number in range(10)), [QUESTION])
    fitted = fit_to_budget(told, size(told) // 2 + 64)
    assert split_turns(fitted.messages) == split_turns(told)[fitted.dropped_turns :]
    assert 5 <= fitted.dropped_turns <= 7
    assert fitted.note.endswith(f"without its beginning: {fitted.dropped_turns} turns of this conversation.")
    assert estimate_tokens(fitted.note) <= 64


def test_the_results_of_the_round_that_was_just_made_are_the_last_to_be_cut() -> None:
    rounds: list[Message] = [asks("a"), result("a", LONG), asks("b", "c"), result("b", LONG), result("c", LONG)]
    told = talk(a_turn(1), [QUESTION, *rounds])
    latest = [QUESTION, *told[-3:]]
    fitted = fit_to_budget(told, size(latest) + 64)
    assert (fitted.messages, fitted.dropped_turns, fitted.dropped_rounds) == (latest, 1, 1)
    assert fitted.note.endswith(": 1 turn of this conversation, 1 round of tool calls.")
    assert shortened(fit_to_budget(told, size(latest) + 63).messages) == [True, False]


def test_a_turn_of_many_rounds_loses_its_oldest_ones() -> None:
    arguments = json.dumps({"text": LONG})
    told = talk([QUESTION, *(m for n in range(5) for m in (asks(f"c{n}", arguments=arguments), result(f"c{n}")))])
    fitted = fit_to_budget(told, 3_000)
    assert fitted.messages == [QUESTION, *told[1 + 2 * fitted.dropped_rounds :]]
    assert fitted.dropped_rounds >= 2
    assert fitted.note.endswith(f"{fitted.dropped_rounds} rounds of tool calls.")


@many
@given(talks, st.integers(0, 6_000))
def test_whatever_was_said_it_fits_if_it_can_is_in_form_and_has_the_latest_question_whole(
    messages: list[Message], most: int
) -> None:
    told = normalize_history(messages)
    fitted = fit_to_budget(told, most)
    assert_in_form(fitted.messages)
    assert split_turns(fitted.messages)[-1][0] == split_turns(told)[-1][0]
    least = fit_to_budget(told, 0)
    assert size(fitted.messages) <= max(most - 64, size(least.messages))
    assert least.dropped_turns == len(split_turns(told)) - 1
    assert fit_to_budget(told, most) == fitted
