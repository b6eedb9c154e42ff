"""The questions of tools in the table."""

import os
from datetime import UTC, datetime

import pytest

from satchel.adapters.dynamodb.calls import DynamoClaims
from satchel.adapters.dynamodb.inputs import DynamoInputs, build_removal, input_item
from satchel.adapters.dynamodb.items import runner_partition
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


# Questions of running tools


@pytest.fixture
def in_call(table: Table, questions: CallInput) -> CallInput:
    """Return a question of a running tool, as the relay stores it."""
    changes = {"questions": questions.questions[:1], "task_token": None, "state": None, "bound_seconds": 300}
    question = questions.model_copy(update=changes)
    table.put(input_item(question))
    return question


def test_first_answer_is_delivered_to_the_runner_of_the_call(
    table: Table, inputs: DynamoInputs, in_call: CallInput
) -> None:
    claims = DynamoClaims(table)
    assert claims.read_answer(in_call.call_id, "1-0") is None
    inputs.answer(in_call, 0, YES)
    inputs.answer(in_call, 0, NO)
    assert claims.read_answer(in_call.call_id, "1-0") == YES
    assert claims.read_answer(in_call.call_id, "2-0") is None


def test_answer_that_a_runner_writes_is_no_answer_of_the_user(
    table: Table, inputs: DynamoInputs, in_call: CallInput
) -> None:
    forged = {"input_id": "1-0", "doc": YES.model_dump_json()}
    table.put({"pk": runner_partition(in_call.call_id), "sk": "ANSWER", **forged})
    assert inputs.get(in_call.turn_id, in_call.call_id) == in_call
    inputs.answer(in_call, 0, NO)
    assert DynamoClaims(table).read_answer(in_call.call_id, "1-0") == NO


def test_end_of_the_call_removes_the_answers_and_closes_the_question(
    table: Table, inputs: DynamoInputs, in_call: CallInput
) -> None:
    inputs.answer(in_call, 0, YES)
    table.transact(build_removal(table, in_call))
    assert inputs.answer(in_call, 0, NO) == in_call.model_copy(update={"taken": True})
    assert DynamoClaims(table).read_answer(in_call.call_id, "1-0") is None
