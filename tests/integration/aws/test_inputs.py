"""The questions of tools in the table."""

import os
from datetime import UTC, datetime

import pytest

from satchel.adapters.dynamodb.inputs import DynamoInputs
from satchel.adapters.dynamodb.table import Table
from satchel.domain.ids import TurnId, call_id, new_id
from satchel.domain.inputs import CallInput, InputAnswer, Question

YES, NO = InputAnswer(input_id="1-0", action="accept"), InputAnswer(input_id="1-0", action="decline")


@pytest.fixture
def inputs(table: Table) -> DynamoInputs:
    return DynamoInputs(table)


@pytest.fixture
def questions() -> CallInput:
    """Return two questions of a new call."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    turn_id = TurnId(new_id("t", now, os.urandom(10)))
    return CallInput(
        call_id=call_id(turn_id, 0, 0),
        turn_id=turn_id,
        tool="report.echo",
        round=1,
        questions=[Question(key=key, mode="url", message=key, url="https://a.example") for key in ("one", "two")],
        state="sealed",
        task_token="first",
        expires_at=now,
    )


def later(questions: CallInput, round_number: int, task: str) -> CallInput:
    """Return the same questions, asked again by another execution of the state Input."""
    return questions.model_copy(update={"round": round_number, "task_token": task})


def test_questions_are_stored_with_their_answers(inputs: DynamoInputs, questions: CallInput) -> None:
    assert inputs.get(questions.turn_id, questions.call_id) is None
    assert inputs.ask(questions) == questions
    inputs.answer(questions, 1, NO)
    stored = questions.model_copy(update={"answers": {1: NO}})
    assert inputs.get(questions.turn_id, questions.call_id) == stored
    assert inputs.list(questions.turn_id) == [stored]
    assert inputs.answer(questions, 0, YES) == questions.model_copy(update={"answers": {0: YES, 1: NO}})


def test_only_the_first_answer_is_stored(inputs: DynamoInputs, questions: CallInput) -> None:
    inputs.ask(questions)
    inputs.answer(questions, 0, YES)
    stored = inputs.answer(questions, 0, NO)
    assert stored is not None
    assert stored.answers == {0: YES}


def test_repeated_question_keeps_the_answers_and_changes_the_token(inputs: DynamoInputs, questions: CallInput) -> None:
    inputs.ask(questions)
    inputs.answer(questions, 0, YES)
    stored = inputs.ask(later(questions, 1, "second"))
    assert (stored.answers, stored.task_token) == ({0: YES}, "second")


def test_next_questions_replace_only_questions_whose_answers_are_taken(
    inputs: DynamoInputs, questions: CallInput
) -> None:
    inputs.ask(questions)
    inputs.answer(questions, 0, YES)
    second = later(questions, 2, "second")
    assert inputs.ask(second).round == 1
    inputs.take(questions)
    assert inputs.ask(later(questions, 1, "late")).taken
    assert inputs.ask(second) == second
    assert inputs.get(questions.turn_id, questions.call_id) == second


def test_answer_to_earlier_questions_is_refused(inputs: DynamoInputs, questions: CallInput) -> None:
    inputs.ask(questions)
    inputs.take(questions)
    stored = inputs.answer(questions, 0, YES)
    assert stored is not None
    assert stored.answers == {}
    inputs.ask(later(questions, 2, "second"))
    assert inputs.answer(questions, 0, YES) is None
