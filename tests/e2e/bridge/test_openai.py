"""The bridge with OpenAI's own Python client, unchanged: as its command, and as its function."""

import re
import time
from typing import Any

import httpx2
import openai
import pytest
from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam

from tests.e2e.bridge.conftest import ORIGIN
from tests.e2e.conftest import NewUser
from tests.e2e.user_client import LOCAL_KEY, UserClient
from tests.fake_providers.replies import Answer
from tests.fake_providers.server import FakeEndpoint

SUM = '/calculator.evaluate {"expression": "6 * 7"}'
REPORT = '/report.summarise {"filename": "sales.csv"}'
SALES = "data:text/csv;base64,bW9udGgsc2FsZXMKSnVseSw0MApBdWd1c3QsNDIK"
WAIT = '/trial.log_lines {"lines": 1, "seconds": 0, "then_wait": 100}'  # runs until it is stopped
WRITE = '/approval.write {"name": "note.txt", "text": "hello"}'
LINK = re.compile(r"\[([^\]]+)\]\((http[^)]+)\)")


@pytest.fixture
def user(new_user: NewUser) -> UserClient:
    return new_user()


@pytest.fixture(params=["bridge", "bridge_function"])
def address(request: pytest.FixtureRequest) -> str:
    bridge = request.getfixturevalue(request.param)
    return str(getattr(bridge, "url", bridge))


@pytest.fixture
def client(address: str, user: UserClient) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{address}/v1", api_key=LOCAL_KEY, default_headers={"X-Satchel-User": user.name})


def says(text: str) -> ChatCompletionMessageParam:
    return {"role": "user", "content": text}


def text_of(chunks: list[ChatCompletionChunk]) -> str:
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def sessions_of(user: UserClient) -> list[dict[str, object]]:
    found: list[dict[str, object]] = user.request("GET", "/api/sessions").json()["sessions"]
    return found


def test_models_are_those_of_the_user(client: openai.OpenAI) -> None:
    assert "offline" in [model.id for model in client.models.list()]


def test_personal_token_is_the_only_credential_until_it_is_revoked(address: str, user: UserClient) -> None:
    made = user.request("POST", "/api/me/tokens", json={"name": "SDK"}).json()
    client = openai.OpenAI(base_url=f"{address}/v1", api_key=made["token"], max_retries=0)

    completion = client.chat.completions.create(model="offline", messages=[says(SUM)])

    assert "42" in str(completion.choices[0].message.content)
    assert len(sessions_of(user)) == 1
    user.request("DELETE", f"/api/me/tokens/{made['token_id']}")
    with pytest.raises(openai.AuthenticationError, match="was revoked"):
        client.models.list()


def test_history_continues_its_session(client: openai.OpenAI, user: UserClient) -> None:
    history = [says(SUM)]
    for _ in range(2):
        completion = client.chat.completions.create(model="offline", messages=history)
        answer = completion.choices[0].message.content
        assert answer
        assert "42" in answer
        assert completion.choices[0].finish_reason == "stop"
        history += [{"role": "assistant", "content": answer}, says(SUM)]

    [session] = sessions_of(user)
    turns = user.request("GET", f"/api/sessions/{session['session_id']}").json()["turns"]
    assert [turn["message"] for turn in turns] == [SUM, SUM]


def test_history_that_the_bridge_does_not_know_is_sent_along(client: openai.OpenAI, user: UserClient) -> None:
    history = [says("I am Ann."), {"role": "assistant", "content": "Hello Ann."}, says("Who am I?")]
    client.chat.completions.create(model="offline", messages=history)  # type: ignore[arg-type]  # a list of dicts

    [session] = sessions_of(user)
    [turn] = user.request("GET", f"/api/sessions/{session['session_id']}").json()["turns"]
    assert turn["message"].startswith("Earlier in this conversation:\n\nuser: I am Ann.\n\nassistant: Hello Ann.")


def test_stream_has_the_answer_and_the_usage(client: openai.OpenAI) -> None:
    chunks = list(
        client.chat.completions.create(
            model="offline", messages=[says(SUM)], stream=True, stream_options={"include_usage": True}
        )
    )
    assert "42" in text_of(chunks)
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage is not None


def test_reasoning_is_apart_from_the_text(client: openai.OpenAI, endpoint: FakeEndpoint) -> None:
    thoughtful = Answer(["It is ", "blue."], thoughts=["Look ", "up."])
    endpoint.replies = [thoughtful, thoughtful]
    stream = client.chat.completions.create(model="openai-chat", messages=[says("How is the sky?")], stream=True)
    chunks = list(stream)
    deltas = [chunk.choices[0].delta.model_dump() for chunk in chunks]
    assert "".join(delta.get("reasoning_content") or "" for delta in deltas) == "Look up."
    assert text_of(chunks) == "It is blue."
    completion = client.chat.completions.create(model="openai-chat", messages=[says("How is the sky?")])
    message = completion.choices[0].message.model_dump()
    assert (message["content"], message["reasoning_content"]) == ("It is blue.", "Look up.")


def test_file_of_a_message_is_attached_and_files_of_tools_are_links(client: openai.OpenAI) -> None:
    file = {"type": "file", "file": {"filename": "sales.csv", "file_data": SALES}}
    message: Any = {"role": "user", "content": [{"type": "text", "text": REPORT}, file]}
    chunks = list(client.chat.completions.create(model="offline", messages=[message], stream=True))

    links = dict(LINK.findall(text_of(chunks)))
    assert set(links) == {"sales_report.html", "sales_chart.png"}
    assert httpx2.get(links["sales_chart.png"], timeout=60).content.startswith(b"\x89PNG")


def test_needed_approval_is_a_message_that_says_where_to_give_it(client: openai.OpenAI, user: UserClient) -> None:
    completion = client.chat.completions.create(model="offline", messages=[says(WRITE)])

    [session] = sessions_of(user)
    assert completion.choices[0].message.content == (
        f"**approval.write needs your approval.** Allow or deny it in Satchel: {user.url}/#{session['session_id']}"
    )
    with pytest.raises(openai.ConflictError, match="E_TURN_RUNNING"):
        client.chat.completions.create(
            model="offline", messages=[says("hi")], extra_headers={"X-Satchel-Session": str(session["session_id"])}
        )


def test_failed_turn_is_an_error_that_is_not_retried(client: openai.OpenAI, user: UserClient) -> None:
    with pytest.raises(openai.APIStatusError) as raised:
        client.chat.completions.create(model="no-such-model", messages=[says("hi")])
    assert raised.value.code == "E_UNKNOWN_MODEL"
    assert len(sessions_of(user)) == 0


def test_tools_of_the_client_are_ignored_unless_it_forces_one(client: openai.OpenAI) -> None:
    tool: Any = {"type": "function", "function": {"name": "f", "parameters": {}}}
    ignored: Any = ("auto", "none")
    forced: Any = ("required", {"type": "function", "function": {"name": "f"}})
    for choice in ignored:
        completion = client.chat.completions.create(
            model="offline", messages=[says(SUM)], tools=[tool], tool_choice=choice
        )
        assert "42" in str(completion.choices[0].message.content)
    for choice in forced:
        with pytest.raises(openai.BadRequestError, match="run inside Satchel"):
            client.chat.completions.create(model="offline", messages=[says("hi")], tools=[tool], tool_choice=choice)


def test_request_without_a_token_is_refused(address: str) -> None:
    response = httpx2.post(f"{address}/v1/chat/completions", json={"model": "m", "messages": [says("hi")]}, timeout=60)
    assert (response.status_code, response.json()["error"]["code"]) == (401, "invalid_api_key")


@pytest.mark.parametrize(("origin", "allowed"), [(ORIGIN, ORIGIN), ("https://other.example.com", None)])
def test_only_named_origins_may_use_the_bridge_in_a_browser(address: str, origin: str, allowed: str | None) -> None:
    headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    headers["Access-Control-Request-Headers"] = "authorization,content-type"
    response = httpx2.options(f"{address}/ag-ui", headers=headers, timeout=60)
    assert response.headers.get("Access-Control-Allow-Origin") == allowed


def test_hang_up_cancels_the_turn(bridge: str, user: UserClient) -> None:
    client = openai.OpenAI(base_url=f"{bridge}/v1", api_key=LOCAL_KEY, default_headers={"X-Satchel-User": user.name})
    stream = client.chat.completions.create(model="offline", messages=[says(WAIT)], stream=True)
    next(stream)
    stream.close()

    [session] = sessions_of(user)
    path = f"/api/sessions/{session['session_id']}"
    while (turn := user.request("GET", path).json()["turns"][0])["status"] == "running":
        time.sleep(0.1)
    assert turn["status"] == "cancelled"
