"""The state machine of turns, and the callback of a waiting task."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from satchel.domain.ids import SessionId, TurnId, UserName
from satchel.ports.turns import TaskGone

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

# The same news under three names: a token that is used up, one that was never, one that cannot be read.
_NOBODY_WAITS = {"TaskTimedOut", "TaskDoesNotExist", "InvalidToken"}


def _code(error: ClientError) -> str:
    return str(error.response["Error"]["Code"])


@dataclass(frozen=True)
class TurnExecutions:
    """Implements ``ports.workflow.Workflow``: an execution is named by its turn, so it can be started only once."""

    client: "SFNClient"
    state_machine: str

    def _arn(self, turn_id: TurnId) -> str:
        return f"{self.state_machine.replace(':stateMachine:', ':execution:')}:{turn_id}"

    def start(self, user: UserName, session_id: SessionId, turn_id: TurnId) -> None:
        """Start the execution; starting the same turn again does nothing."""
        given = {"user": user, "session_id": session_id, "turn_id": turn_id, "round": 0}
        try:
            self.client.start_execution(stateMachineArn=self.state_machine, name=turn_id, input=json.dumps(given))
        except ClientError as error:
            if _code(error) != "ExecutionAlreadyExists":
                raise

    def stop(self, turn_id: TurnId, cause: str) -> None:
        """End the execution if it runs."""
        try:
            self.client.stop_execution(executionArn=self._arn(turn_id), cause=cause)
        except ClientError as error:
            if _code(error) not in {"ExecutionDoesNotExist", "ValidationException"}:
                raise

    def is_running(self, turn_id: TurnId) -> bool:
        """Tell whether the execution has not ended."""
        try:
            answer = self.client.describe_execution(executionArn=self._arn(turn_id))
        except ClientError as error:
            if _code(error) == "ExecutionDoesNotExist":
                return False
            raise
        return answer["status"] in {"RUNNING", "PENDING_REDRIVE"}


@dataclass(frozen=True)
class WaitingTasks:
    """Implements ``ports.workflow.TaskCallback``."""

    client: "SFNClient"

    def heartbeat(self, token: str) -> None:
        """Say that the call is alive. Raises TaskGone, and OSError when the word did not arrive."""
        try:
            self.client.send_task_heartbeat(taskToken=token)
        except ClientError as error:
            if _code(error) in _NOBODY_WAITS:
                raise TaskGone from error
            raise OSError(f"the beat was refused: {_code(error)}") from error
        except BotoCoreError as error:
            raise OSError("the beat did not arrive") from error

    def done(self, token: str) -> None:
        """Say that the outcome is stored. A late word is harmless and silent."""
        try:
            self.client.send_task_success(taskToken=token, output=json.dumps({"outcome": "stored"}))
        except ClientError as error:
            if _code(error) not in _NOBODY_WAITS:
                raise
