"""Ask the user the questions of tools, and take the answers. No Lambda function runs during the wait (state Input)."""

from dataclasses import dataclass
from datetime import timedelta

from satchel.domain.calls import Call
from satchel.domain.errors import CallNotFound, InputClosed, InputNotFound, InvalidInput, TooLarge
from satchel.domain.ids import CallId, SessionId, TurnId
from satchel.domain.input_events import answered_event, requested_event
from satchel.domain.inputs import (
    MAX_ANSWER_BYTES,
    AnsweredInput,
    CallInput,
    InputAnswer,
    Question,
)
from satchel.domain.steps import MAX_INPUT_ROUNDS_IN_CALL, MAX_INPUT_ROUNDS_IN_TURN, CallStep
from satchel.domain.users import Identity
from satchel.ports.calls import Calls, Reports
from satchel.ports.system import Clock
from satchel.ports.turns import Events, Inputs, TaskCallback
from satchel.services.turns.read_turn import ReadTurn


class TooManyQuestions(Exception):
    """The call, or the calls of its turn, asked the user too often. The state machine ends the call with this error."""


@dataclass(frozen=True)
class AskInput:
    """Ask the user the questions with which a call ended. Without answers within ``timeout``, the call fails."""

    calls: Calls
    inputs: Inputs
    events: Events
    reports: Reports
    callback: TaskCallback
    clock: Clock
    timeout: timedelta

    def __call__(self, step: CallStep) -> None:
        """Store and publish the questions. If no answer is missing or possible, resume the turn immediately.

        Raise LookupError if the call's runner has reported no questions, or TooManyQuestions.
        """
        call = self.calls.get(step.turn_id, step.call_id)
        if call is None or step.task_token is None:
            raise LookupError(f"no such call to ask for: {step.call_id}")
        if call.result is not None:
            self.callback.succeed(step.task_token)
            return
        earlier = self.inputs.get(step.turn_id, step.call_id)
        if earlier is None or earlier.taken or earlier.is_in_call:
            questions = self._next_questions(call, step.task_token, earlier)
        else:
            questions = earlier.model_copy(update={"task_token": step.task_token})
        stored = self.inputs.ask(questions)
        now = self.clock.now()
        for question in stored.open_inputs(now):
            self.events.append(call.turn_id, requested_event(question))
        if not stored.open_inputs(now):
            self.callback.succeed(step.task_token)

    def _next_questions(self, call: Call, token: str, earlier: CallInput | None) -> CallInput:
        report = self.reports.read(call)
        if report is None or report.asks is None:
            raise LookupError(f"the runner has reported no questions: {call.call_id}")
        rounds_of_turn = sum(each.round for each in self.inputs.list(call.turn_id) if not each.is_in_call)
        rounds_of_call = earlier.round if earlier else 0
        if rounds_of_call >= MAX_INPUT_ROUNDS_IN_CALL or rounds_of_turn >= MAX_INPUT_ROUNDS_IN_TURN:
            raise TooManyQuestions(call.call_id)
        return CallInput(
            call_id=call.call_id,
            turn_id=call.turn_id,
            tool=call.tool,
            round=rounds_of_call + 1,
            questions=report.asks.questions,
            state=report.asks.state,
            task_token=token,
            expires_at=self.clock.now() + self.timeout,
            earlier=earlier.for_model() if earlier else [],
        )


@dataclass(frozen=True)
class AnswerInput:
    """Store the user's answer to a question of a tool. When all questions are answered, resume the turn.

    The first answer is final.
    """

    read_turn: ReadTurn
    inputs: Inputs
    events: Events
    callback: TaskCallback
    clock: Clock

    def __call__(
        self, who: Identity, session_id: SessionId, turn_id: TurnId, call_id: CallId, answer: InputAnswer
    ) -> AnsweredInput:
        """Store the answer. Sending the same answer again succeeds.

        Raise SessionNotFound, TurnNotFound, CallNotFound, InputNotFound, InputClosed (answered otherwise, expired, or
        the turn ended), InvalidInput or TooLarge.
        """
        turn = self.read_turn.find(who, session_id, turn_id)
        questions = self.inputs.get(turn.turn_id, call_id)
        if questions is None:
            raise CallNotFound(call_id)
        posed = next((each for each in questions.posed if each.input_id == answer.input_id), None)
        if posed is None:
            raise InputNotFound(call_id, answer.input_id)
        if posed.answer is None and (turn.has_ended or questions.taken or self.clock.now() >= questions.expires_at):
            raise InputClosed("The tool no longer waits for an answer.", call_id=call_id)
        answer = check_answer(posed.question, answer)
        if not questions.is_in_call:
            # AskInput publishes after it has stored the questions. An answer in between must not precede its question.
            for question in questions.open_inputs(self.clock.now()):
                self.events.append(questions.turn_id, requested_event(question))
        stored = self.inputs.answer(questions, questions.posed.index(posed), answer)
        if stored is None or stored.posed[questions.posed.index(posed)].answer != answer:
            raise InputClosed("The question already has another answer.", call_id=call_id)
        self._publish_and_resume(stored, answer)
        return AnsweredInput(call_id=call_id, input_id=answer.input_id, action=answer.action)

    def _publish_and_resume(self, questions: CallInput, answer: InputAnswer) -> None:
        # Publish before resuming the turn, so that the answer precedes the tool's events.
        self.events.append(questions.turn_id, answered_event(questions.call_id, answer.input_id, answer.action))
        if questions.is_answered and questions.task_token is not None:
            self.callback.succeed(questions.task_token)


def check_answer(question: Question, answer: InputAnswer) -> InputAnswer:
    """Return the answer to store. Raise InvalidInput if its values do not fit the form, or TooLarge."""
    form = question.form
    if answer.action != "accept" or form is None:
        return answer.model_copy(update={"content": None})
    content = form.defaults if answer.content is None else answer.content
    if problems := form.find_problems(content):
        raise InvalidInput([problem.model_dump() for problem in problems])
    checked = answer.model_copy(update={"content": content})
    if len(checked.model_dump_json().encode()) > MAX_ANSWER_BYTES:
        raise TooLarge(f"The answer may have at most {MAX_ANSWER_BYTES} bytes.", limit_bytes=MAX_ANSWER_BYTES)
    return checked
