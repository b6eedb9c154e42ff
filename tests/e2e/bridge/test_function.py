"""The bridge as a Lambda function with streamed responses: what differs from the command, and published clients."""

import json
import time
from collections.abc import Generator

import httpx2
import openai
import pytest

from satchel_client import Client
from satchel_client.models import ToolApprovalRequest
from tests.e2e.bridge.conftest import DeployBridge
from tests.e2e.bridge.test_front_ends import PROGRESS, SUM, WAIT, WRITE, run_agent, types
from tests.e2e.conftest import NewUser
from tests.e2e.user_client import LOCAL_KEY, Json, UserClient
from tests.fake_providers.replies import Answer, ErrorKind, ErrorReply
from tests.fake_providers.server import FakeEndpoint
from tests.lambda_runtime.function_url import FunctionUrl


@pytest.fixture
def user(new_user: NewUser) -> UserClient:
    return new_user()


def client(function: FunctionUrl, user: UserClient) -> openai.OpenAI:
    return openai.OpenAI(
        base_url=f"{function.url}/v1", api_key=LOCAL_KEY, default_headers={"X-Satchel-User": user.name}
    )


def stream(function: FunctionUrl, user: UserClient, message: str) -> Generator[str]:
    """Yield the lines of a streamed completion as they arrive."""
    body = {"model": "offline", "stream": True, "messages": [{"role": "user", "content": message}]}
    url = f"{function.url}/v1/chat/completions"
    with httpx2.stream("POST", url, json=body, headers=user.headers, timeout=60) as response:
        yield from (line for line in response.iter_lines() if line)


def content(lines: list[str]) -> str:
    """Return the text of a streamed completion that ended as it should."""
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines[:-1] if line.startswith("data: ")]
    assert lines[-1] == "data: [DONE]"
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"
    return "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks)


def only_turn(user: UserClient) -> Json:
    [session] = user.request("GET", "/api/sessions").json()["sessions"]
    [turn] = user.request("GET", f"/api/sessions/{session['session_id']}").json()["turns"]
    return {**turn, "session_id": session["session_id"]}


def ended_turn(user: UserClient) -> Json:
    while (turn := only_turn(user))["status"] == "running":
        time.sleep(0.1)
    return turn


def approve(user: UserClient) -> None:
    """Approve the call that waits in the user's only turn."""
    waiting = only_turn(user)
    with Client(user.url, LOCAL_KEY, user=user.name) as satchel:
        turn = satchel.session(waiting["session_id"]).turn(waiting["turn_id"])
        request = next(event for event in turn if isinstance(event, ToolApprovalRequest))
        turn.approve(turn.approval(request.call_id))


def test_piece_arrives_while_the_turn_waits_for_what_its_reader_does(
    bridge_function: FunctionUrl, user: UserClient
) -> None:
    lines = stream(bridge_function, user, WRITE)
    assert "assistant" in next(lines)
    assert "needs your approval" in next(lines)

    approve(user)

    assert "approval.write:" in content(list(lines))


def test_one_process_answers_one_request_after_another(deploy_bridge: DeployBridge, user: UserClient) -> None:
    with deploy_bridge(300, 870) as function:
        for _ in range(2):
            assert "42" in content(list(stream(function, user, SUM)))
            completion = client(function, user).chat.completions.create(
                model="offline", messages=[{"role": "user", "content": SUM}]
            )
            assert "42" in str(completion.choices[0].message.content)
        assert (len(function.invocations), len(function.environments)) == (4, 1)


def test_agent_runs_and_resumes_after_an_approval(bridge_function: FunctionUrl, user: UserClient) -> None:
    [run] = run_agent({"url": f"{bridge_function.url}/ag-ui"}, user, {"message": PROGRESS})
    assert "satchel.tool_progress" in types(run)
    assert run["events"][-1]["outcome"]["type"] == "success"
    interrupted, resumed = run_agent(
        {"url": f"{bridge_function.url}/ag-ui"}, user, {"message": WRITE}, {"resume": {"approved": True}}
    )
    assert interrupted["interrupts"][0]["reason"] == "tool_approval"
    assert resumed["events"][-1]["outcome"]["type"] == "success"


def test_error_in_the_middle_of_a_stream_is_its_last_event(
    bridge_function: FunctionUrl, user: UserClient, endpoint: FakeEndpoint
) -> None:
    refused = ErrorReply(ErrorKind.REJECTED)
    endpoint.replies = [Answer(["Some "], calls=[("calculator.evaluate", '{"expression": "1"}')]), refused]
    with pytest.raises(openai.APIError) as raised:
        list(
            client(bridge_function, user).chat.completions.create(
                model="openai-chat", messages=[{"role": "user", "content": "Go"}], stream=True
            )
        )
    assert raised.value.code == ended_turn(user)["error"]["error_code"]


def test_broken_connection_to_lambda_cancels_the_turn(bridge_function: FunctionUrl, user: UserClient) -> None:
    messages = [{"id": "1", "role": "user", "content": WAIT}]
    run = {"threadId": user.name, "runId": "1", "messages": messages, "tools": [], "context": []}
    with httpx2.stream("POST", f"{bridge_function.url}/ag-ui", json=run, headers=user.headers, timeout=60) as response:
        next(line for line in response.iter_lines() if "satchel.tool_progress" in line)
        bridge_function.invocations[-1].breaks.set()
        assert ended_turn(user)["status"] == "cancelled"


def test_hang_up_of_the_client_does_not_reach_the_function(bridge_function: FunctionUrl, user: UserClient) -> None:
    lines = stream(bridge_function, user, WRITE)
    next(lines)
    lines.close()

    assert only_turn(user)["status"] == "running"
    approve(user)
    assert ended_turn(user)["status"] == "complete"


def test_stream_has_pings_and_ends_if_the_user_needs_too_long(deploy_bridge: DeployBridge, user: UserClient) -> None:
    with deploy_bridge(16, 870) as function:
        lines = list(stream(function, user, WRITE))

    assert [line for line in lines if line.startswith(": ping")]
    turn = only_turn(user)
    assert turn["status"] == "running"
    assert content(lines) == (
        f"**approval.write needs your approval.** Allow or deny it in Satchel: {user.url}/#{turn['session_id']}"
    )


def test_responses_end_before_the_time_limit_and_the_turn_continues(
    deploy_bridge: DeployBridge, user: UserClient
) -> None:
    with deploy_bridge(300, 6) as function:
        text = content(list(stream(function, user, WAIT)))
        turn = only_turn(user)
        assert turn["status"] == "running"
        assert text == f"The turn continues in Satchel: {user.url}/#{turn['session_id']}"

        [run] = run_agent({"url": f"{function.url}/ag-ui"}, user, {"message": WAIT})
        assert run["events"][-1]["type"] == "RUN_ERROR"
        assert run["events"][-1]["message"].startswith("The turn continues in Satchel: ")
