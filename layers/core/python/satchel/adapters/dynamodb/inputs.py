"""Stores the questions of tools and the users' answers.

| item | key | attributes |
|---|---|---|
| questions | ``CALLS#{turn_id} / INPUT#{call_id}`` | ``doc``, ``round``, ``task_token``; ``answer{n}``, ``taken`` |
| answer for the runner | ``RUN#{call_id} / ANSWER`` | ``input_id``, ``doc`` |

A call has one item: its next questions replace the answered ones. ``answer{n}`` is the answer to question ``n``. If the
tool is running while it waits, its runner reads the answer from the partition of its call, to which its credentials are
limited. What the runner writes there is never read as an answer by trusted functions. The end of the call removes the
answers from both items.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from satchel.adapters.dynamodb.conditions import ConditionFailed
from satchel.adapters.dynamodb.items import Item, runner_partition
from satchel.adapters.dynamodb.table import Table
from satchel.domain.ids import CallId, TurnId
from satchel.domain.inputs import MAX_QUESTIONS, CallInput, InputAnswer

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

PREFIX = "INPUT#"
_ANSWER = "ANSWER"
_ATTRIBUTES = {"answers", "task_token", "taken"}
_ANSWERS = ", ".join(f"answer{index}" for index in range(MAX_QUESTIONS))


def input_key(turn_id: TurnId, call_id: CallId) -> tuple[str, str]:
    """Return the key (``pk``, ``sk``) of the questions of a call."""
    return f"CALLS#{turn_id}", f"{PREFIX}{call_id}"


def input_item(questions: CallInput) -> Item:
    """Return the item of questions, without answers."""
    pk, sk = input_key(questions.turn_id, questions.call_id)
    item: Item = {"pk": pk, "sk": sk, "doc": questions.model_dump_json(exclude=_ATTRIBUTES), "round": questions.round}
    token = {} if questions.task_token is None else {"task_token": questions.task_token}
    return item | token | ({"taken": True} if questions.taken else {})


def parse_input(item: Item) -> CallInput:
    """Return the questions that an item stores, with the answers so far."""
    stored = CallInput.model_validate_json(str(item["doc"]))
    answers = {
        index: InputAnswer.model_validate_json(str(item[f"answer{index}"]))
        for index in range(len(stored.questions))
        if f"answer{index}" in item
    }
    token = str(item["task_token"]) if "task_token" in item else None
    return stored.model_copy(update={"answers": answers, "task_token": token, "taken": "taken" in item})


def build_removal(table: Table, questions: CallInput) -> Sequence["TransactWriteItemTypeDef"]:
    """Build the writes that remove all answers to the questions of a call, and close them."""
    close = table.build_update(
        *input_key(questions.turn_id, questions.call_id),
        expression=f"SET taken = :taken REMOVE task_token, {_ANSWERS}",
        condition="attribute_exists(pk)",
        values={"taken": True},
    )
    return [close, table.build_put(_answer_key(questions.call_id))] if questions.is_in_call else [close]


def read_answer(table: Table, call_id: CallId, input_id: str) -> InputAnswer | None:
    """Return the answer to a question of a running tool, or None if there is none yet."""
    item = table.get(runner_partition(call_id), _ANSWER) or {}
    return InputAnswer.model_validate_json(str(item["doc"])) if item.get("input_id") == input_id else None


def _answer_key(call_id: CallId) -> Item:
    return {"pk": runner_partition(call_id), "sk": _ANSWER}


@dataclass(frozen=True)
class DynamoInputs:
    """Store the questions of tools in the table. Implements ``ports.turns.Inputs``."""

    table: Table

    def ask(self, questions: CallInput) -> CallInput:
        key, item = input_key(questions.turn_id, questions.call_id), input_item(questions)
        if self.table.insert(item):
            return questions
        values = {name: value for name, value in item.items() if name not in {"pk", "sk"}}
        with suppress(ConditionFailed):
            self.table.update(
                *key,
                expression="SET " + ", ".join(f"#{name} = :{name}" for name in values) + f" REMOVE taken, {_ANSWERS}",
                condition="(attribute_exists(taken) OR attribute_not_exists(task_token)) AND #round < :round",
                values=values,
                names={f"#{name}": name for name in values},
            )
            return questions
        if questions.task_token is not None:
            with suppress(ConditionFailed):
                self.table.update(
                    *key,
                    expression="SET task_token = :task_token",
                    condition="attribute_not_exists(taken)",
                    values={"task_token": questions.task_token},
                )
        return self.get(questions.turn_id, questions.call_id) or questions

    def get(self, turn_id: TurnId, call_id: CallId) -> CallInput | None:
        item = self.table.get(*input_key(turn_id, call_id))
        return parse_input(item) if item else None

    def list(self, turn_id: TurnId) -> Sequence[CallInput]:
        return [parse_input(item) for item in self.table.query_all(f"CALLS#{turn_id}", PREFIX)]

    def answer(self, questions: CallInput, index: int, answer: InputAnswer) -> CallInput | None:
        save = self.table.build_update(
            *input_key(questions.turn_id, questions.call_id),
            expression=f"SET answer{index} = :answer",
            condition=f"#round = :round AND attribute_not_exists(answer{index}) AND attribute_not_exists(taken)",
            values={"answer": answer.model_dump_json(), "round": questions.round},
            names={"#round": "round"},
        )
        for_runner: Item = {"input_id": answer.input_id, "doc": answer.model_dump_json()}
        deliver = [self.table.build_put(_answer_key(questions.call_id) | for_runner)] if questions.is_in_call else []
        with suppress(ConditionFailed):  # raised if the question is answered, or is no longer the call's question
            self.table.transact_until_done([save, *deliver])
        stored = self.get(questions.turn_id, questions.call_id)
        return stored if stored and stored.round == questions.round else None

    def take(self, questions: CallInput) -> None:
        with suppress(ConditionFailed):  # raised if the item was deleted with all data of the user
            self.table.update(
                *input_key(questions.turn_id, questions.call_id),
                expression="SET taken = :taken",
                condition="#round = :round",
                values={"taken": True, "round": questions.round},
                names={"#round": "round"},
            )
