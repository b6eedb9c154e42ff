import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from botocore.stub import Stubber

from satchel.adapters.stepfunctions import TurnExecutions, WaitingTasks
from satchel.domain.ids import SessionId, TurnId, UserName
from satchel.ports.turns import TaskGone
from tests.integration.aws.makers import START, fresh

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

MACHINE = "arn:aws:states:us-east-1:123456789012:stateMachine:satchel-turn"
TOKEN = "a token"


@pytest.fixture
def client() -> "SFNClient":
    return boto3.client("stepfunctions")


@pytest.fixture
def service(client: "SFNClient") -> Iterator[Stubber]:
    """What the service answers: each call must be one that a test expects, with just these parameters."""
    with Stubber(client) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


@pytest.fixture
def turn_id() -> str:
    return fresh("t")


def execution(turn_id: str) -> str:
    return f"arn:aws:states:us-east-1:123456789012:execution:satchel-turn:{turn_id}"


class TestExecutions:
    @pytest.fixture
    def executions(self, client: "SFNClient") -> TurnExecutions:
        return TurnExecutions(client, MACHINE)

    def test_start_is_named_by_the_turn_and_given_ids_alone(
        self, executions: TurnExecutions, service: Stubber, turn_id: str
    ) -> None:
        given = {"user": "ada@example.com", "session_id": "s1", "turn_id": turn_id, "round": 0}
        service.add_response(
            "start_execution",
            {"executionArn": execution(turn_id), "startDate": START},
            {"stateMachineArn": MACHINE, "name": turn_id, "input": json.dumps(given)},
        )

        executions.start(UserName("ada@example.com"), SessionId("s1"), TurnId(turn_id))

    def test_start_again_does_nothing(self, executions: TurnExecutions, service: Stubber, turn_id: str) -> None:
        service.add_client_error("start_execution", "ExecutionAlreadyExists")

        executions.start(UserName("ada@example.com"), SessionId("s1"), TurnId(turn_id))

    @pytest.mark.parametrize("code", ["StateMachineDoesNotExist", "ThrottlingException", "ExecutionLimitExceeded"])
    def test_a_start_that_fails_is_an_error(
        self, executions: TurnExecutions, service: Stubber, turn_id: str, code: str
    ) -> None:
        service.add_client_error("start_execution", code)

        with pytest.raises(ClientError, match=code):
            executions.start(UserName("ada@example.com"), SessionId("s1"), TurnId(turn_id))

    def test_stop_says_why(self, executions: TurnExecutions, service: Stubber, turn_id: str) -> None:
        service.add_response(
            "stop_execution", {"stopDate": START}, {"executionArn": execution(turn_id), "cause": "cancelled"}
        )

        executions.stop(TurnId(turn_id), "cancelled")

    @pytest.mark.parametrize("code", ["ExecutionDoesNotExist", "ValidationException"])
    def test_stop_of_what_does_not_run_is_no_error(
        self, executions: TurnExecutions, service: Stubber, turn_id: str, code: str
    ) -> None:
        service.add_client_error("stop_execution", code)

        executions.stop(TurnId(turn_id), "cancelled")

    def test_a_stop_that_fails_is_an_error(self, executions: TurnExecutions, service: Stubber, turn_id: str) -> None:
        service.add_client_error("stop_execution", "AccessDeniedException")

        with pytest.raises(ClientError):
            executions.stop(TurnId(turn_id), "cancelled")

    @pytest.mark.parametrize(
        ("status", "runs"),
        [
            ("RUNNING", True),
            ("PENDING_REDRIVE", True),
            ("SUCCEEDED", False),
            ("FAILED", False),
            ("TIMED_OUT", False),
            ("ABORTED", False),
        ],
    )
    def test_is_running_until_it_has_ended(
        self, executions: TurnExecutions, service: Stubber, turn_id: str, status: str, *, runs: bool
    ) -> None:
        answer = {
            "executionArn": execution(turn_id),
            "stateMachineArn": MACHINE,
            "status": status,
            "startDate": START,
        }
        service.add_response("describe_execution", answer, {"executionArn": execution(turn_id)})

        assert executions.is_running(TurnId(turn_id)) is runs

    def test_what_was_never_started_does_not_run(
        self, executions: TurnExecutions, service: Stubber, turn_id: str
    ) -> None:
        service.add_client_error("describe_execution", "ExecutionDoesNotExist")

        assert executions.is_running(TurnId(turn_id)) is False

    def test_not_knowing_is_an_error_and_no_answer(
        self, executions: TurnExecutions, service: Stubber, turn_id: str
    ) -> None:
        service.add_client_error("describe_execution", "ThrottlingException")

        with pytest.raises(ClientError):
            executions.is_running(TurnId(turn_id))


GONE = ["TaskTimedOut", "TaskDoesNotExist", "InvalidToken"]


class TestWaitingTasks:
    @pytest.fixture
    def tasks(self, client: "SFNClient") -> WaitingTasks:
        return WaitingTasks(client)

    def test_a_beat_says_that_the_call_is_alive(self, tasks: WaitingTasks, service: Stubber) -> None:
        service.add_response("send_task_heartbeat", {}, {"taskToken": TOKEN})

        tasks.heartbeat(TOKEN)

    @pytest.mark.parametrize("code", GONE)
    def test_a_beat_for_nobody_says_so(self, tasks: WaitingTasks, service: Stubber, code: str) -> None:
        service.add_client_error("send_task_heartbeat", code)

        with pytest.raises(TaskGone):
            tasks.heartbeat(TOKEN)

    def test_a_beat_that_is_refused_for_now_is_not_the_end(self, tasks: WaitingTasks, service: Stubber) -> None:
        service.add_client_error("send_task_heartbeat", "ThrottlingException")

        with pytest.raises(OSError, match="ThrottlingException"):
            tasks.heartbeat(TOKEN)

    def test_a_beat_that_does_not_arrive_is_not_the_end(self, tasks: WaitingTasks, client: "SFNClient") -> None:
        def unplugged(**_request: object) -> None:
            raise EndpointConnectionError(endpoint_url="https://states.example")

        client.meta.events.register("before-send.sfn", unplugged)

        with pytest.raises(OSError, match="did not arrive"):
            tasks.heartbeat(TOKEN)

    def test_done_hands_over_no_more_than_that_it_is_done(self, tasks: WaitingTasks, service: Stubber) -> None:
        service.add_response("send_task_success", {}, {"taskToken": TOKEN, "output": '{"outcome": "stored"}'})

        tasks.done(TOKEN)

    @pytest.mark.parametrize("code", GONE)
    def test_done_too_late_is_silent(self, tasks: WaitingTasks, service: Stubber, code: str) -> None:
        service.add_client_error("send_task_success", code)

        tasks.done(TOKEN)

    def test_done_that_fails_is_an_error(self, tasks: WaitingTasks, service: Stubber) -> None:
        service.add_client_error("send_task_success", "AccessDeniedException")

        with pytest.raises(ClientError):
            tasks.done(TOKEN)
