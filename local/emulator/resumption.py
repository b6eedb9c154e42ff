"""Continue the turns that ran when the server stopped, and end what cannot continue: running tools."""

import os

from satchel.adapters import clients
from satchel.adapters.dynamodb.calls import DynamoClaims
from satchel.adapters.dynamodb.table import Table
from satchel.bootstrap.functions import use_cases
from satchel.contract.errors import ToolCrashed
from satchel.domain.calls import Call, RunnerReport
from satchel.domain.sessions import Turn
from satchel.domain.steps import CallStep, TurnStep, repeat_first_round


def resume_turns() -> None:
    """Start the executions of the turns that ran when the server stopped.

    Each step of a turn returns what it stored before, so a turn continues where it was: answers and results are not
    repeated, and a call that still waits for an approval asks for it again. A tool that was running is not called
    twice: its call fails, also if the tool waited for the user. A call that waited for a free runner is run, a call
    that ended to ask the user continues to wait, and the task of a server is polled again.
    """
    ports = use_cases().ports
    for session in ports.sessions.list_running(ports.clock.now()):
        turn = session.running_turn and ports.turns.get(session.session_id, session.running_turn)
        if turn and not turn.has_ended:
            _end_interrupted_calls(turn)
            step = TurnStep(user=turn.user, session_id=turn.session_id, turn_id=turn.turn_id)
            ports.workflow.continue_after(repeat_first_round(step))


def _end_interrupted_calls(turn: Turn) -> None:
    claims = DynamoClaims(Table(clients.dynamodb(), os.environ["SATCHEL_TABLE"]))
    waiting = [each for each in use_cases().ports.inputs.list(turn.turn_id) if not each.is_in_call]
    questions = {each.call_id: each for each in waiting}
    for call in use_cases().ports.calls.list(turn.turn_id):
        latest = questions.get(call.call_id)
        if latest and not latest.taken:
            continue  # no runner: the call waits for the user, or for the next execution to send the answers
        if _has_task(turn, call):
            continue  # the server works on its task, which the next execution polls
        if call.result is None and claims.is_claimed(call.call_id, latest.round if latest else 0):
            _end_interrupted(call)


def _has_task(turn: Turn, call: Call) -> bool:
    if any(task.call_id == call.call_id for task in use_cases().ports.call_tasks.list(turn.turn_id)):
        return True
    report = use_cases().ports.reports.read(call)
    return report is not None and report.task is not None


def _end_interrupted(call: Call) -> None:
    """Record the result of a call whose tool has started. If the runner stored no report, the call has failed."""
    report = None
    if use_cases().ports.reports.read(call) is None:
        crash = ToolCrashed(
            "The server stopped while the tool was running",
            suggestion="Check what the tool has done before you call it again",
        )
        report = RunnerReport.from_error(crash, duration_ms=None)
    step = CallStep(user=call.user, session_id=call.session_id, turn_id=call.turn_id, call_id=call.call_id)
    use_cases().record_tool_result(step, report)
