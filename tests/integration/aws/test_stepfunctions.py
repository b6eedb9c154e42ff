import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from botocore.stub import Stubber

from satchel.adapters.stepfunctions import TurnExecutions, WaitingTasks
from satchel.domain.ids import TurnId, UserName, call_id
from satchel.domain.steps import CallRef, NextStep
from satchel.ports.turns import TaskGone
from tests.integration.aws.factories import START, new_session_id, new_turn_id

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

MACHINE = "arn:aws:states:us-east-1:123456789012:stateMachine:satchel-turn"
TOKEN = "a token"
SESSION = new_session_id()


@pytest.fixture
def client() -> "SFNClient":
    return boto3.client("stepfunctions")


@pytest.fixture
def service(client: "SFNClient") -> Iterator[Stubber]:
    """The stubbed service. Each request must be expected by the test, with exactly these parameters."""
    with Stubber(client) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


@pytest.fixture
def turn_id() -> TurnId:
    return new_turn_id()


def execution_arn(turn_id: TurnId) -> str:
    return f"arn:aws:states:us-east-1:123456789012:execution:satchel-turn:{turn_id}"


def step_after_calls(turn_id: TurnId) -> NextStep:
    calls = [CallRef(call_id=call_id(turn_id, 0, 0), approval=True)]
    return NextStep(
        user=UserName("ada@example.com"), session_id=SESSION, turn_id=turn_id, round=1, calls=calls, done=False
    )


class TestExecutions:
    @pytest.fixture
    def executions(self, client: "SFNClient") -> TurnExecutions:
        return TurnExecutions(lambda: client, MACHINE)

    def test_start_names_the_execution_after_the_turn_and_passes_ids_only(
        self, executions: TurnExecutions, service: Stubber, turn_id: TurnId
    ) -> None:
        payload = {
            "user": "ada@example.com",
            "session_id": SESSION,
            "turn_id": turn_id,
            "round": 1,
            "tries": 0,
            "calls": [{"call_id": f"{turn_id}-00-00", "approval": 1}],
        }
        service.add_response(
            "start_execution",
            {"executionArn": execution_arn(turn_id), "startDate": START},
            {"stateMachineArn": MACHINE, "name": turn_id, "input": json.dumps(payload)},
        )

        executions.continue_after(step_after_calls(turn_id))

    def test_second_start_does_nothing(self, executions: TurnExecutions, service: Stubber, turn_id: TurnId) -> None:
        service.add_client_error("start_execution", "ExecutionAlreadyExists")

        executions.continue_after(step_after_calls(turn_id))

    @pytest.mark.parametrize("code", ["StateMachineDoesNotExist", "ThrottlingException", "ExecutionLimitExceeded"])
    def test_failed_start_raises(
        self, executions: TurnExecutions, service: Stubber, turn_id: TurnId, code: str
    ) -> None:
        service.add_client_error("start_execution", code)

        with pytest.raises(ClientError, match=code):
            executions.continue_after(step_after_calls(turn_id))

    def test_stop_passes_the_cause(self, executions: TurnExecutions, service: Stubber, turn_id: TurnId) -> None:
        service.add_response(
            "stop_execution", {"stopDate": START}, {"executionArn": execution_arn(turn_id), "cause": "cancelled"}
        )

        executions.stop(turn_id, "cancelled")

    @pytest.mark.parametrize("code", ["ExecutionDoesNotExist", "ValidationException"])
    def test_stop_without_a_running_execution_does_nothing(
        self, executions: TurnExecutions, service: Stubber, turn_id: TurnId, code: str
    ) -> None:
        service.add_client_error("stop_execution", code)

        executions.stop(turn_id, "cancelled")

    def test_failed_stop_raises(self, executions: TurnExecutions, service: Stubber, turn_id: TurnId) -> None:
        service.add_client_error("stop_execution", "AccessDeniedException")

        with pytest.raises(ClientError):
            executions.stop(turn_id, "cancelled")

    @pytest.mark.parametrize(
        ("status", "is_running"),
        [
            ("RUNNING", True),
            ("PENDING_REDRIVE", True),
            ("SUCCEEDED", False),
            ("FAILED", False),
            ("TIMED_OUT", False),
            ("ABORTED", False),
        ],
    )
    def test_execution_is_running_until_it_ends(
        self, executions: TurnExecutions, service: Stubber, turn_id: TurnId, status: str, *, is_running: bool
    ) -> None:
        response = {
            "executionArn": execution_arn(turn_id),
            "stateMachineArn": MACHINE,
            "status": status,
            "startDate": START,
        }
        service.add_response("describe_execution", response, {"executionArn": execution_arn(turn_id)})

        assert executions.is_running(turn_id) is is_running

    def test_unknown_execution_is_neither_running_nor_ended(
        self, executions: TurnExecutions, service: Stubber, turn_id: TurnId
    ) -> None:
        service.add_client_error("describe_execution", "ExecutionDoesNotExist")

        assert executions.is_running(turn_id) is None

    def test_failed_status_request_raises(self, executions: TurnExecutions, service: Stubber, turn_id: TurnId) -> None:
        service.add_client_error("describe_execution", "ThrottlingException")

        with pytest.raises(ClientError):
            executions.is_running(turn_id)


TASK_GONE_CODES = ["TaskTimedOut", "TaskDoesNotExist", "InvalidToken"]


class TestWaitingTasks:
    @pytest.fixture
    def tasks(self, client: "SFNClient") -> WaitingTasks:
        return WaitingTasks(client)

    def test_heartbeat_is_sent(self, tasks: WaitingTasks, service: Stubber) -> None:
        service.add_response("send_task_heartbeat", {}, {"taskToken": TOKEN})

        tasks.heartbeat(TOKEN)

    @pytest.mark.parametrize("code", TASK_GONE_CODES)
    def test_heartbeat_for_a_gone_task_raises_task_gone(self, tasks: WaitingTasks, service: Stubber, code: str) -> None:
        service.add_client_error("send_task_heartbeat", code)

        with pytest.raises(TaskGone):
            tasks.heartbeat(TOKEN)

    def test_rejected_heartbeat_raises_os_error(self, tasks: WaitingTasks, service: Stubber) -> None:
        service.add_client_error("send_task_heartbeat", "ThrottlingException")

        with pytest.raises(OSError, match="ThrottlingException"):
            tasks.heartbeat(TOKEN)

    def test_unsent_heartbeat_raises_os_error(self, tasks: WaitingTasks, client: "SFNClient") -> None:
        def unplugged(**_request: object) -> None:
            raise EndpointConnectionError(endpoint_url="https://states.example")

        client.meta.events.register("before-send.sfn", unplugged)

        with pytest.raises(OSError, match="could not be sent"):
            tasks.heartbeat(TOKEN)

    def test_succeed_sends_only_that_the_outcome_is_stored(self, tasks: WaitingTasks, service: Stubber) -> None:
        service.add_response("send_task_success", {}, {"taskToken": TOKEN, "output": '{"outcome": "stored"}'})

        tasks.succeed(TOKEN)

    @pytest.mark.parametrize("code", TASK_GONE_CODES)
    def test_succeed_for_a_gone_task_does_nothing(self, tasks: WaitingTasks, service: Stubber, code: str) -> None:
        service.add_client_error("send_task_success", code)

        tasks.succeed(TOKEN)

    def test_failed_succeed_raises(self, tasks: WaitingTasks, service: Stubber) -> None:
        service.add_client_error("send_task_success", "AccessDeniedException")

        with pytest.raises(ClientError):
            tasks.succeed(TOKEN)
