"""The bridge with published clients for JavaScript, unchanged: `@ag-ui/client`, and `ai` with an OpenAI provider."""

import json
import shutil
import subprocess
import time
import uuid
from pathlib import Path

import httpx2
import pytest

from tests.e2e.bridge.conftest import PACKAGES
from tests.e2e.conftest import NewUser
from tests.e2e.system_process import SystemProcess
from tests.e2e.typescript_package import NODE_22, compile_strictly, examples
from tests.e2e.typescript_package import run as run_program
from tests.e2e.user_client import LOCAL_KEY, Json, UserClient
from tests.fake_providers.replies import Answer
from tests.fake_providers.server import FakeEndpoint

SCRIPTS = Path(__file__).parent / "front_ends"
TOOL_CALL = ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"]
SUM = '/calculator.evaluate {"expression": "6 * 7"}'
LONG_SUM = f'{SUM}\n/trial.wait {{"seconds": 12}}'
"""A turn that still runs when a slow client has opened its connection."""
PROGRESS = '/trial.report_often {"reports": 3, "seconds": 0.2, "start_at": 0}'
REPORT = '/report.summarise {"filename": "sales.csv"}'
WRITE = '/approval.write {"name": "note.txt", "text": "hello"}'
ASK = '/asking.plan {"question": "Where to?"}'
ANSWER = {"city": "Bern", "days": 4}
WAIT = '/trial.log_lines {"lines": 1, "seconds": 0, "then_wait": 100}'  # runs until it is stopped

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")


@pytest.fixture
def user(new_user: NewUser) -> UserClient:
    return new_user()


@pytest.fixture(params=["HttpAgent", "SatchelAgent"])
def agent(request: pytest.FixtureRequest, system: SystemProcess) -> Json:
    """The agent of the front end: ``HttpAgent`` uses the bridge, ``SatchelAgent`` of the TypeScript client does not."""
    if request.param == "HttpAgent":
        return {"url": f"{request.getfixturevalue('bridge')}/ag-ui"}
    return satchel_agent(request.getfixturevalue("client_packages"), system)


def satchel_agent(packages: Path, system: SystemProcess) -> Json:
    return {"packages": str(packages), "satchel": system.url}


def run(script: str, arguments: Json, packages: str = str(PACKAGES), node: str = "node") -> str:
    command = [node, str(SCRIPTS / script), packages, json.dumps(arguments)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert result.returncode == 0, result.stderr
    return result.stdout


def run_agent(agent: Json, user: UserClient, *steps: Json, thread: str | None = None) -> list[Json]:
    """Run the steps in one thread and return what the client saw after each."""
    identity = {"token": LOCAL_KEY, "user": user.name, "threadId": thread or uuid.uuid4().hex}
    node = str(NODE_22) if "satchel" in agent and NODE_22.exists() else "node"
    packages = agent.get("packages", str(PACKAGES))
    output = run("ag_ui.mjs", {**agent, **identity, "steps": steps}, packages, node)
    return [json.loads(line) for line in output.splitlines()]


def types(step: Json) -> list[str]:
    """Return the types of the events, without repetition of one type, and names instead of CUSTOM."""
    names = [event.get("name", event["type"]) for event in step["events"]]
    return [name for index, name in enumerate(names) if index == 0 or names[index - 1] != name]


def test_text_call_and_result_become_messages(agent: Json, user: UserClient) -> None:
    first, second = run_agent(agent, user, {"message": SUM}, {"message": SUM})

    assert types(first) == [
        "RUN_STARTED",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TOOL_CALL_RESULT",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "RUN_FINISHED",
    ]
    _, call, result, answer = first["messages"]
    assert call["toolCalls"][0]["function"] == {"name": "calculator.evaluate", "arguments": '{"expression":"6 * 7"}'}
    assert (result["role"], result["toolCallId"]) == ("tool", call["toolCalls"][0]["id"])
    assert "42" in answer["content"]
    assert first["events"][-1]["outcome"]["type"] == "success"
    assert len(second["messages"]) == 8
    assert len(user.request("GET", "/api/sessions").json()["sessions"]) == 1


def test_progress_and_files_are_custom_events(agent: Json, user: UserClient) -> None:
    [progress] = run_agent(agent, user, {"message": PROGRESS})
    assert "satchel.tool_progress" in types(progress)

    thread = uuid.uuid4().hex
    run_agent(agent, user, {"message": SUM}, thread=thread)
    session = user.request("GET", "/api/sessions").json()["sessions"][0]["session_id"]
    user.upload(session, "sales.csv", b"month,sales\nJuly,40\nAugust,42\n")
    [report] = run_agent(agent, user, {"message": REPORT}, thread=thread)
    [files] = [event["value"] for event in report["events"] if event.get("name") == "satchel.files_update"]
    assert {file["name"] for file in files["files"]} == {"sales_report.html", "sales_chart.png"}
    assert [httpx2.get(url, timeout=60).status_code for url in files["urls"].values()] == [200, 200]


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ({"approved": True}, "hello"),
        ({"approved": True, "arguments": {"name": "note.txt", "text": "goodbye"}}, "goodbye"),
        ({"approved": False, "reason": "Not today"}, "Not today"),
    ],
)
def test_approval_is_an_interrupt_and_a_resume(agent: Json, user: UserClient, answer: Json, result: str) -> None:
    first, resumed = run_agent(agent, user, {"message": WRITE}, {"resume": answer})

    [interrupt] = first["interrupts"]
    assert (interrupt["reason"], first["events"][-1]["outcome"]["type"]) == ("tool_approval", "interrupt")
    assert types(first)[1:4] == ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"]
    assert resumed["interrupts"] == []
    assert resumed["events"][-1]["outcome"]["type"] == "success"
    assert "TOOL_CALL_START" not in types(resumed)
    [message] = [each for each in resumed["messages"] if each["role"] == "tool"]
    assert result in message["content"] or result in (Path("/tmp") / user.name / "note.txt").read_text()


def test_question_is_an_interrupt_with_its_form(agent: Json, user: UserClient) -> None:
    first, resumed = run_agent(agent, user, {"message": ASK}, {"resume": ANSWER})

    [interrupt] = first["interrupts"]
    assert interrupt["reason"] == "input_required"
    assert interrupt["responseSchema"]["properties"]
    assert resumed["events"][-1]["outcome"]["type"] == "success"


def test_hang_up_cancels_the_turn(agent: Json, user: UserClient) -> None:
    [step] = run_agent(agent, user, {"message": WAIT, "abortAt": "TOOL_CALL_END"})
    assert (step["failure"], step["events"][-1]["code"]) == (None, "abort")

    [session] = user.request("GET", "/api/sessions").json()["sessions"]
    path = f"/api/sessions/{session['session_id']}"
    while (turn := user.request("GET", path).json()["turns"][0])["status"] == "running":
        time.sleep(0.1)
    assert turn["status"] == "cancelled"


def test_failed_turn_is_an_error_of_the_run(agent: Json, user: UserClient) -> None:
    thread = uuid.uuid4().hex
    run_agent(agent, user, {"message": SUM}, thread=thread)
    [session] = user.request("GET", "/api/sessions").json()["sessions"]
    user.request("DELETE", f"/api/sessions/{session['session_id']}")

    [step] = run_agent(agent, user, {"message": SUM}, thread=thread)
    assert step["events"][-1]["type"] == "RUN_ERROR"
    assert step["events"][-1]["code"].startswith("E_SESSION")


def test_run_without_a_message_shows_the_history_again(agent: Json, user: UserClient) -> None:
    thread = uuid.uuid4().hex
    run_agent(agent, user, {"message": SUM}, thread=thread)

    [step] = run_agent(agent, user, {}, thread=thread)
    assert types(step) == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]
    assert [message["role"] for message in step["messages"]] == ["user", "assistant"]


def test_two_approvals_of_a_round_are_interrupts_one_after_the_other(agent: Json, user: UserClient) -> None:
    second = WRITE.replace("note.txt", "other.txt")
    allowed = {"resume": {"approved": True}}
    steps = run_agent(agent, user, {"message": f"{WRITE}\n{second}"}, allowed, allowed)

    assert [len(step["interrupts"]) for step in steps] == [1, 1, 0]
    started = [event["toolCallId"] for step in steps for event in step["events"] if event["type"] == "TOOL_CALL_START"]
    assert len(started) == len(set(started)) == 2
    assert [message["role"] for message in steps[-1]["messages"]].count("tool") == 2
    assert {path.name for path in (Path("/tmp") / user.name).glob("*.txt")} >= {"note.txt", "other.txt"}


def test_waiting_turn_is_shown_again_after_a_reconnect(agent: Json, user: UserClient) -> None:
    thread = uuid.uuid4().hex
    run_agent(agent, user, {"message": WRITE}, thread=thread)

    shown, resumed = run_agent(agent, user, {}, {"resume": {"approved": True}}, thread=thread)
    assert types(shown) == ["RUN_STARTED", "MESSAGES_SNAPSHOT", *TOOL_CALL, "RUN_FINISHED"]
    assert len(shown["interrupts"]) == 1
    assert resumed["events"][-1]["outcome"]["type"] == "success"


def test_file_of_a_message_is_attached(agent: Json, user: UserClient) -> None:
    source = {"type": "data", "value": "aGVsbG8=", "mimeType": "text/plain"}
    content = [{"type": "text", "text": "Read this"}, {"type": "document", "source": source}]
    run_agent(agent, user, {"message": content})

    [file] = user.request("GET", "/api/files").json()["files"]
    assert (file["name"], file["size"], file["mime"]) == ("attachment-1.txt", 5, "text/plain")


def test_agent_of_the_client_follows_its_session_over_a_websocket(
    client_packages: Path, system: SystemProcess, user: UserClient
) -> None:
    if not NODE_22.exists():
        pytest.skip("this machine has no Node 22 for Linux")
    session_id = user.create_session()
    [step] = run_agent({**satchel_agent(client_packages, system), "sessionId": session_id}, user, {"message": LONG_SUM})

    assert (step["sessionId"], step["sockets"]) == (session_id, 1)
    assert "42" in step["messages"][-1]["content"]
    assert [each["session_id"] for each in user.request("GET", "/api/sessions").json()["sessions"]] == [session_id]


def test_example_of_the_agent_compiles_and_runs(client_packages: Path, system: SystemProcess) -> None:
    example = examples()[1]
    (client_packages / "example.mts").write_text(example)
    compile_strictly("example.mts", "--skipLibCheck", cwd=client_packages)
    (client_packages / "example.mjs").write_text(example)  # it uses no syntax of TypeScript
    output = run_program("node", "example.mjs", cwd=client_packages, SATCHEL_URL=system.url, SATCHEL_TOKEN=LOCAL_KEY)
    assert "42" in output


def test_ai_sdk_streams_an_answer(bridge: str, user: UserClient) -> None:
    headers = {"X-Satchel-User": user.name}
    assert "42" in run("ai_sdk.mjs", {"url": f"{bridge}/v1", "headers": headers, "key": LOCAL_KEY, "message": SUM})


THOUGHTFUL = Answer(["It is ", "blue."], thoughts=["Look ", "up."])


def choose_model(user: UserClient) -> None:
    """Let the user's only session use a model with reasoning."""
    [session] = user.request("GET", "/api/sessions").json()["sessions"]
    user.request("PATCH", f"/api/sessions/{session['session_id']}", json={"model": "openai-chat"})


def test_reasoning_is_a_message_of_its_own(agent: Json, user: UserClient, endpoint: FakeEndpoint) -> None:
    thread = uuid.uuid4().hex
    run_agent(agent, user, {"message": SUM}, thread=thread)
    choose_model(user)
    endpoint.replies = [THOUGHTFUL]
    [step] = run_agent(agent, user, {"message": "How is the sky?"}, thread=thread)

    reasoning = ["REASONING_START", *(f"REASONING_MESSAGE_{part}" for part in ("START", "CONTENT", "END"))]
    assert types(step)[1:6] == [*reasoning, "REASONING_END"]
    assert [(each["role"], each["content"]) for each in step["messages"][-2:]] == [
        ("reasoning", "Look up."),
        ("assistant", "It is blue."),
    ]


def test_ai_sdk_streams_reasoning_apart_from_the_answer(bridge: str, user: UserClient, endpoint: FakeEndpoint) -> None:
    endpoint.replies = [THOUGHTFUL]
    headers = {"X-Satchel-User": user.name}
    arguments = {"url": f"{bridge}/v1", "headers": headers, "key": LOCAL_KEY, "message": "How is the sky?"}
    assert run("ai_sdk.mjs", {**arguments, "model": "openai-chat", "reasoning": True}) == "(Look up.)It is blue."


def run_chat(bridge: str, user: UserClient, *steps: Json, chat: str | None = None) -> list[Json]:
    """Run the steps in one chat of npm's `ai`, and return its state after each."""
    headers = {"Authorization": f"Bearer {LOCAL_KEY}", "X-Satchel-User": user.name}
    arguments = {"api": f"{bridge}/ai-sdk/chat", "headers": headers, "id": chat or uuid.uuid4().hex, "steps": steps}
    return [json.loads(line) for line in run("chat_transport.mjs", arguments).splitlines()]


def parts(step: Json, kind: str) -> list[Json]:
    """Return the parts of one type of the last message."""
    return [part for part in step["messages"][-1]["parts"] if part["type"] == kind]


def test_chat_transport_streams_text_tools_and_progress_in_one_session(bridge: str, user: UserClient) -> None:
    first, second = run_chat(bridge, user, {"message": SUM}, {"message": PROGRESS})

    assert (first["status"], second["status"]) == ("ready", "ready")
    [tool] = parts(first, "dynamic-tool")
    assert (tool["toolName"], tool["state"], tool["input"]) == (
        "calculator.evaluate",
        "output-available",
        {"expression": "6 * 7"},
    )
    assert "42" in parts(first, "text")[-1]["text"]
    assert "data-satchel-tool_progress" in second["data"]
    assert [message["role"] for message in second["messages"]] == ["user", "assistant"] * 2
    assert len(user.request("GET", "/api/sessions").json()["sessions"]) == 1


def test_chat_transport_has_a_part_for_the_reasoning(bridge: str, user: UserClient, endpoint: FakeEndpoint) -> None:
    chat = uuid.uuid4().hex
    run_chat(bridge, user, {"message": SUM}, chat=chat)
    choose_model(user)
    endpoint.replies = [THOUGHTFUL]
    [step] = run_chat(bridge, user, {"message": "How is the sky?"}, chat=chat)
    assert [(part["text"], part["state"]) for part in parts(step, "reasoning")] == [("Look up.", "done")]
    assert [part["text"] for part in parts(step, "text")] == ["It is blue."]


def test_chat_transport_sends_and_receives_files(bridge: str, user: UserClient) -> None:
    table = {"type": "file", "mediaType": "text/csv", "filename": "sales.csv"}
    table["url"] = "data:text/csv;base64,bW9udGgsc2FsZXMKSnVseSw0MApBdWd1c3QsNDIK"
    [step] = run_chat(bridge, user, {"message": REPORT, "files": [table]})

    files = parts(step, "file")
    assert {file["mediaType"] for file in files} == {"text/html", "image/png"}
    assert [httpx2.get(file["url"], timeout=60).status_code for file in files] == [200, 200]


@pytest.mark.parametrize(
    ("answer", "state"),
    [({"approved": True}, "output-available"), ({"approved": False, "reason": "Not today"}, "output-error")],
)
def test_chat_transport_sends_the_answer_to_an_approval(
    bridge: str, user: UserClient, answer: Json, state: str
) -> None:
    waiting, decided = run_chat(bridge, user, {"message": WRITE}, answer)

    assert [tool["state"] for tool in parts(waiting, "dynamic-tool")] == ["approval-requested"]
    assert (decided["status"], decided.get("error")) == ("ready", None)
    [tool] = parts(decided, "dynamic-tool")
    assert (tool["state"], len(decided["messages"])) == (state, 2)


def test_chat_transport_shows_a_waiting_turn_again_after_a_reload(bridge: str, user: UserClient) -> None:
    chat = uuid.uuid4().hex
    run_chat(bridge, user, {"message": WRITE}, chat=chat)

    shown, decided, nothing = run_chat(bridge, user, {"resume": True}, {"approved": True}, {"resume": True}, chat=chat)
    assert [tool["state"] for tool in parts(shown, "dynamic-tool")] == ["approval-requested"]
    assert [tool["state"] for tool in parts(decided, "dynamic-tool")] == ["output-available"]
    assert nothing["messages"] == decided["messages"]


def test_chat_transport_cancels_the_turn_when_the_user_stops(bridge: str, user: UserClient) -> None:
    run_chat(bridge, user, {"message": WAIT, "stopAt": "dynamic-tool"})

    [session] = user.request("GET", "/api/sessions").json()["sessions"]
    path = f"/api/sessions/{session['session_id']}"
    while (turn := user.request("GET", path).json()["turns"][0])["status"] == "running":
        time.sleep(0.1)
    assert turn["status"] == "cancelled"
