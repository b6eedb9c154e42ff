"""Starts and stops the Step Functions executions of turns, and reports to tasks that wait for a tool call."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from satchel.domain.ids import TurnId
from satchel.domain.steps import NextStep
from satchel.ports.turns import TaskGone

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_stepfunctions import SFNClient

_INPUT = {"user", "session_id", "turn_id", "round", "tries", "calls"}
# error codes when no task waits for a token: the token was used, never existed, or is malformed
_TASK_GONE_CODES = {"TaskTimedOut", "TaskDoesNotExist", "InvalidToken"}


def _code(error: ClientError) -> str:
    return str(error.response["Error"]["Code"])


@dataclass(frozen=True)
class TurnExecutions:
    """Start and stop the executions that continue turns. Implements ``ports.turns.Workflow``.

    The name of an execution is the turn id, so Step Functions starts each turn only once. ``client`` creates the client
    when it is first needed: most turns have no execution.
    """

    client: "Callable[[], SFNClient]"
    state_machine: str

    def continue_after(self, step: NextStep) -> None:
        payload = step.model_dump(mode="json", include=_INPUT)
        try:
            self.client().start_execution(
                stateMachineArn=self.state_machine, name=step.turn_id, input=json.dumps(payload)
            )
        except ClientError as error:
            if _code(error) != "ExecutionAlreadyExists":
                raise

    def stop(self, turn_id: TurnId, cause: str) -> None:
        try:
            self.client().stop_execution(executionArn=self._arn(turn_id), cause=cause)
        except ClientError as error:
            if _code(error) not in {"ExecutionDoesNotExist", "ValidationException"}:
                raise

    def is_running(self, turn_id: TurnId) -> bool | None:
        try:
            response = self.client().describe_execution(executionArn=self._arn(turn_id))
        except ClientError as error:
            if _code(error) == "ExecutionDoesNotExist":
                return None
            raise
        return response["status"] in {"RUNNING", "PENDING_REDRIVE"}

    def _arn(self, turn_id: TurnId) -> str:
        return f"{self.state_machine.replace(':stateMachine:', ':execution:')}:{turn_id}"


@dataclass(frozen=True)
class WaitingTasks:
    """Report to the Step Functions tasks that wait for tool calls. Implements ``ports.turns.TaskCallback``."""

    client: "SFNClient"

    def heartbeat(self, token: str) -> None:
        """Report that the call is still running. Raise TaskGone if no task waits, or OSError if the report fails."""
        try:
            self.client.send_task_heartbeat(taskToken=token)
        except ClientError as error:
            if _code(error) in _TASK_GONE_CODES:
                raise TaskGone from error
            raise OSError(f"the heartbeat was rejected: {_code(error)}") from error
        except BotoCoreError as error:
            raise OSError("the heartbeat could not be sent") from error

    def succeed(self, token: str) -> None:
        try:
            self.client.send_task_success(taskToken=token, output=json.dumps({"outcome": "stored"}))
        except ClientError as error:
            if _code(error) not in _TASK_GONE_CODES:
                raise

    def fail(self, token: str, error: str) -> None:
        try:
            self.client.send_task_failure(taskToken=token, error=error)
        except ClientError as failure:
            if _code(failure) not in _TASK_GONE_CODES:
                raise
