"""Turns with a model of each provider, over HTTP in the provider's wire format."""

import json
import time
from collections.abc import Callable, Iterator
from datetime import datetime

import pytest

from tests.e2e.sent_media import pictures_in
from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import Json, UserClient, run_user
from tests.fake_providers.held_pieces import HoldPieces
from tests.fake_providers.replies import Answer, ErrorKind, ErrorReply
from tests.fake_providers.server import PROVIDERS, FakeEndpoint
from tests.pictures import png
from tests.priority import prioritized

SUMS = [("calculator_evaluate", '{"expression": "6 * 7"}'), ("calculator_evaluate", '{"expression": "2 + 2"}')]
MAX_DELAY_SECONDS = 0.3
MAX_CANCEL_SECONDS = 2.0

PICTURE_FORMS: dict[str, Callable[[str], Json]] = {
    "anthropic": lambda data: {"type": "base64", "media_type": "image/png", "data": data},
    "bedrock": lambda data: {"format": "png", "source": {"bytes": data}},
    "openai-chat": lambda data: {"url": f"data:image/png;base64,{data}"},
}
"""The object with a picture's bytes in the wire format of each provider."""

each_provider = pytest.mark.parametrize("provider", PROVIDERS)


@pytest.fixture(scope="module")
def user(system: SystemProcess) -> UserClient:
    """One user for all tests, so that the server stays warm."""
    return UserClient(system.url, run_user("models"))


@pytest.fixture(autouse=True)
def _reset_endpoint(endpoint: FakeEndpoint) -> None:
    endpoint.replies, endpoint.requests, endpoint.first_text_times = [], [], []
    endpoint.client_disconnected.clear()


def texts(events: list[Json]) -> dict[int, str]:
    """Return the text of each round: its last attempt, as docs/events.md describes."""
    rounds: dict[int, dict[int, str]] = {}
    for event in events:
        if event["type"] == "token_stream":
            attempts = rounds.setdefault(event["round"], {})
            attempts[event["attempt"]] = attempts.get(event["attempt"], "") + event["text"]
    return {number: attempts[max(attempts)] for number, attempts in rounds.items()}


def reasoning(events: list[Json]) -> dict[int, str]:
    """Return the reasoning of each round."""
    rounds: dict[int, str] = {}
    for event in events:
        if event["type"] == "reasoning_stream":
            rounds[event["round"]] = rounds.get(event["round"], "") + event["text"]
    return rounds


def run_turn(user: UserClient, provider: str, message: str = "Do two sums.") -> tuple[Json, list[Json]]:
    session_id = user.create_session(model=provider)
    response = user.ask(session_id, message, tools=["calculator"])
    return response, user.events(session_id, response["turn_id"])


def delays(events: list[Json], endpoint: FakeEndpoint) -> list[float]:
    """Return the seconds between sending the first text of each answer and its first event."""
    first: dict[int, float] = {}
    for event in events:
        if event["type"] == "token_stream":
            first.setdefault(event["round"], datetime.fromisoformat(event["at"]).timestamp())
    return [seen - sent for seen, sent in zip(first.values(), endpoint.first_text_times, strict=True)]


def wait_for_text(user: UserClient, session_id: str, turn_id: str, number: int) -> None:
    """Wait until a round has its first text. Fail if the turn ends without it."""
    after, is_done, rounds = 0, False, set[int]()
    while number not in rounds:
        assert not is_done, f"the turn {turn_id} has ended without text in round {number}"
        path = f"/api/sessions/{session_id}/turns/{turn_id}/events"
        page = user.request("GET", path, params={"after": after, "wait": 20}).json()
        rounds |= texts(page["events"]).keys()
        after, is_done = page["next"], page["done"]


@each_provider
def test_turn_with_two_parallel_calls_is_streamed_to_its_end(
    provider: str, endpoint: FakeEndpoint, system: SystemProcess, user: UserClient, hold_pieces: HoldPieces
) -> None:
    rounds = [hold_pieces(["Let me ", "work ", "it out."]), hold_pieces(["They are ", "42 ", "and ", "4."])]
    endpoint.replies = [Answer(rounds[0], SUMS), Answer(rounds[1], tokens=(50, 9))]
    session_id = user.create_session(model=provider)
    with prioritized(system.process.pid):
        turn_id = user.start_turn(session_id, "Do two sums.", tools=["calculator"])["turn_id"]
        for number, pieces in enumerate(rounds):
            pieces.release()
            # The first text is shown while the model still writes the rest.
            wait_for_text(user, session_id, turn_id, number)
            pieces.release_all()
    response = user.wait_for_turn(session_id, turn_id)
    events = user.events(session_id, turn_id)
    assert (response["status"], response["message"]) == ("complete", "They are 42 and 4.")
    assert [call["results"]["result"] for call in response["tool_calls"]] == [42, 4]
    assert texts(events) == {0: "Let me work it out.", 1: "They are 42 and 4."}
    assert len([event for event in events if event["type"] == "token_stream"]) > 3
    assert {"input_tokens": 61, "output_tokens": 16}.items() <= response["usage"].items()
    assert "42" in str(endpoint.requests[1].body)
    assert max(delays(events, endpoint)) < MAX_DELAY_SECONDS


@each_provider
def test_reasoning_is_streamed_and_sent_back_with_results_but_never_shared(
    provider: str, endpoint: FakeEndpoint, user: UserClient
) -> None:
    endpoint.replies = [
        Answer(["Let me see."], SUMS[:1], thoughts=["I need ", "the calculator."], pause=0.1),
        Answer(["It is 42."], thoughts=["Got ", "it."]),
        Answer(["Bye."]),
    ]
    response, events = run_turn(user, provider)
    assert (response["status"], response["message"]) == ("complete", "It is 42.")
    assert reasoning(events) == {0: "I need the calculator.", 1: "Got it."}
    assert texts(events) == {0: "Let me see.", 1: "It is 42."}
    first, second = (str(request.body) for request in endpoint.requests)
    assert ("I need the calculator." in first, "I need the calculator." in second) == (False, True)
    session = response["session_id"]
    user.ask(session, "Thanks.", tools=["calculator"])
    assert "I need the calculator." not in str(endpoint.requests[-1].body)
    link = user.request("POST", f"/api/sessions/{session}/links", json={}).json()
    shared = user.request("GET", "/api/shared-chat", params={"token": link["url"].partition("#share=")[2]})
    assert "It is 42." in shared.text
    conversation = user.request("GET", f"/api/conversations/{session}").text
    assert "It is 42." in conversation
    thoughts = ["I need the calculator.", "Got it."]
    readable = {"answer": str(response), "shared chat": shared.text, "conversation": conversation}
    assert [name for name, text in readable.items() if any(thought in text for thought in thoughts)] == []


def test_interrupted_answer_is_retried_and_the_last_attempt_is_the_message(
    endpoint: FakeEndpoint, user: UserClient
) -> None:
    complete = Answer(["The ", "capital ", "is ", "Paris."])
    endpoint.replies = [
        ErrorReply(ErrorKind.THROTTLED),
        Answer(["The ", "capitals ", "are ", "Rome."], cut_after=4, pause=0.1),
        complete,
    ]
    response, events = run_turn(user, "bedrock")
    assert (response["status"], response["message"]) == ("complete", "The capital is Paris.")
    assert texts(events) == {0: "The capital is Paris."}
    assert sorted({event["attempt"] for event in events if event["type"] == "token_stream"}) == [0, 1]


def test_openai_model_reads_the_error_of_a_tool_as_plain_json(endpoint: FakeEndpoint, user: UserClient) -> None:
    endpoint.replies = [Answer(["Sum."], [("calculator_evaluate", '{"expression": "1 / 0"}')]), Answer(["No."])]
    run_turn(user, "openai-chat")
    (result,) = (message for message in endpoint.requests[1].body["messages"] if message["role"] == "tool")
    assert json.loads(result["content"])["meta_data"]["is_error"] is True


@pytest.mark.parametrize(
    ("provider", "kind", "code"),
    [
        ("openai-chat", ErrorKind.NO_KEY, "E_MODEL_ACCESS"),
        ("anthropic", ErrorKind.TOO_LONG, "E_CONTEXT_TOO_LONG"),
    ],
)
def test_permanent_error_ends_the_turn_at_once_with_its_error_code(
    provider: str, kind: ErrorKind, code: str, endpoint: FakeEndpoint, user: UserClient
) -> None:
    endpoint.replies = [ErrorReply(kind)]
    response, events = run_turn(user, provider)
    assert (response["status"], response["error"]["error_code"]) == ("failed", code)
    assert response["error"]["message"].endswith(".")
    assert len(endpoint.requests) == 1
    assert [event["type"] for event in events] == ["turn_started", "turn_failed"]


@pytest.mark.parametrize("provider", ["bedrock", "openai-chat"])
def test_cancelling_a_turn_during_streaming_closes_the_connection_to_the_model(
    provider: str, endpoint: FakeEndpoint, system: SystemProcess, user: UserClient
) -> None:
    session_id = user.create_session(model=provider)
    endpoint.replies = [Answer(["word "] * 600, pause=0.05)]
    turn = user.start_turn(session_id, "Talk for long.")["turn_id"]
    _wait_until(lambda: bool(endpoint.first_text_times))
    path = f"/api/sessions/{session_id}/turns/{turn}"
    with prioritized(system.process.pid):
        start = time.monotonic()
        assert user.request("DELETE", path).is_success
        events = user.events(session_id, turn)
        assert events[-1]["type"] == "turn_failed"
        assert endpoint.client_disconnected.wait(MAX_CANCEL_SECONDS)
        assert time.monotonic() - start < MAX_CANCEL_SECONDS
    assert user.request("GET", path).json()["status"] == "cancelled"


def test_bedrock_requests_are_signed_with_the_configured_credentials(endpoint: FakeEndpoint, user: UserClient) -> None:
    """All other requests use fake credentials, so that none can reach AWS."""
    run_turn(user, "bedrock")
    authorization = endpoint.requests[0].headers["Authorization"]
    assert "AKIAFAKEKEY" in authorization
    assert "/eu-west-1/bedrock/" in authorization


def _objects(value: object) -> Iterator[Json]:
    """Yield all JSON objects inside a value."""
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _objects(item)


def _wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@each_provider
def test_model_sees_the_chart_that_a_tool_has_made(provider: str, endpoint: FakeEndpoint, user: UserClient) -> None:
    session_id = user.create_session(model=provider)
    user.upload(session_id, "sales.csv", b"region,units\nnorth,4\nsouth,7\n")
    endpoint.replies = [Answer([], [("report_summarise", '{"filename": "sales.csv"}')]), Answer(["A chart."])]
    response = user.ask(session_id, "Draw my sales.", tools=["report"])
    assert response["message"] == "A chart."
    chart = next(artifact for artifact in response["artifacts"] if artifact["name"] == "sales_chart.png")
    content = user.request("GET", f"/api/files/{chart['file_key']}").json()["b64"]
    assert content not in str(endpoint.requests[0].body)
    assert PICTURE_FORMS[provider](content) in list(_objects(endpoint.requests[1].body))


@each_provider
def test_model_without_vision_gets_a_note_instead_of_the_chart(
    provider: str, endpoint: FakeEndpoint, user: UserClient
) -> None:
    session_id = user.create_session(model=f"blind-{provider}")
    user.upload(session_id, "sales.csv", b"region,units\nnorth,4\nsouth,7\n")
    user.upload(session_id, "photo.png", png(30, 20))
    endpoint.replies = [Answer([], [("report_summarise", '{"filename": "sales.csv"}')]), Answer(["A chart."])]
    response = user.ask(session_id, "Draw my sales.", tools=["report"], files=["photo.png"])
    assert response["message"] == "A chart."
    assert [pictures_in(request.body) for request in endpoint.requests] == [[], []]
    notes = [f"{name}: the model cannot see pictures" for name in ("photo.png", "sales_chart.png")]
    assert [note for note in notes if note not in str(endpoint.requests[1].body)] == []
    assert response["usage"]["media_tokens"] == 0


def test_files_and_logs_of_a_seen_chart_hold_no_base64(
    endpoint: FakeEndpoint, user: UserClient, system: SystemProcess
) -> None:
    session_id = user.create_session(model="anthropic")
    user.upload(session_id, "sales.csv", b"region,units\nnorth,4\nsouth,7\n")
    endpoint.replies = [Answer([], [("report_summarise", '{"filename": "sales.csv"}')]), Answer(["A chart."])]
    response = user.ask(session_id, "Draw my sales.", tools=["report"])
    events = user.events(session_id, response["turn_id"])
    png = "iVBORw0KGgo"  # the first bytes of every PNG file as base64
    assert png in str(endpoint.requests[1].body)
    assert png not in str(response) + str(events)
    assert png not in system.output()
