"""Whole turns with models of each provider: over real HTTP in the real formats, through the running system."""

import time
from datetime import datetime
from typing import Any

import pytest

from tests.e2e.person import Json, Person
from tests.e2e.system import System
from tests.endpoints.acts import Answers, Refusal, Refuses
from tests.endpoints.server import PROVIDERS, Endpoint

SUMS = [("calculator_evaluate", '{"expression": "6 * 7"}'), ("calculator_evaluate", '{"expression": "2 + 2"}')]
LATE_SECONDS = 0.3
CANCELLED_SECONDS = 2.0

each_provider = pytest.mark.parametrize("provider", PROVIDERS)


@pytest.fixture(scope="module")
def person(system: System) -> Person:
    """One for all: what a tool's first call takes is no matter here."""
    return Person(system.url, "models@example.com")


@pytest.fixture(autouse=True)
def _nothing_asked_yet(endpoint: Endpoint) -> None:
    endpoint.will, endpoint.asked, endpoint.spoke = [], [], []
    endpoint.left.clear()


def texts(events: list[Json]) -> dict[int, str]:
    """Put the answers together as docs/events.md says."""
    told: dict[int, dict[int, str]] = {}
    for event in events:
        if event["type"] == "token_stream":
            of_round = told.setdefault(event["round"], {})
            of_round[event["attempt"]] = of_round.get(event["attempt"], "") + event["text"]
    return {number: attempts[max(attempts)] for number, attempts in told.items()}


def asked(person: Person, provider: str, message: str = "Do two sums.") -> tuple[Json, list[Json]]:
    session_id = person.session(model=provider)
    response = person.ask(session_id, message)
    return response, person.events(session_id, response["turn_id"])


def seconds_late(events: list[Json], endpoint: Endpoint) -> list[float]:
    """How long after it left the first piece of each answer was told."""
    first: dict[int, float] = {}
    for event in events:
        if event["type"] == "token_stream":
            first.setdefault(event["round"], datetime.fromisoformat(event["at"]).timestamp())
    return [told - left for told, left in zip(first.values(), endpoint.spoke, strict=True)]


@each_provider
def test_a_turn_with_two_calls_side_by_side_is_streamed_to_its_end(
    provider: str, endpoint: Endpoint, person: Person
) -> None:
    endpoint.will = [
        Answers(["Let me ", "work ", "it out."], SUMS, pause=0.1),
        Answers(["They are ", "42 ", "and ", "4."], pause=0.1, tokens=(50, 9)),
    ]
    response, events = asked(person, provider)
    assert (response["status"], response["message"]) == ("complete", "They are 42 and 4.")
    assert [call["results"]["result"] for call in response["tool_calls"]] == [42, 4]
    assert texts(events) == {0: "Let me work it out.", 1: "They are 42 and 4."}
    assert len([event for event in events if event["type"] == "token_stream"]) > 3
    assert {"input_tokens": 61, "output_tokens": 16}.items() <= response["usage"].items()
    assert "42" in str(endpoint.asked[1].body)
    assert max(seconds_late(events, endpoint)) < LATE_SECONDS


def test_what_breaks_off_is_begun_again_and_what_stands_is_what_was_told(endpoint: Endpoint, person: Person) -> None:
    whole = Answers(["The ", "capital ", "is ", "Paris."])
    endpoint.will = [
        Refuses(Refusal.THROTTLED),
        Answers(["The ", "capitals ", "are ", "Rome."], cut_after=4, pause=0.1),
        whole,
    ]
    response, events = asked(person, "bedrock")
    assert (response["status"], response["message"]) == ("complete", "The capital is Paris.")
    assert texts(events) == {0: "The capital is Paris."}
    assert sorted({event["attempt"] for event in events if event["type"] == "token_stream"}) == [0, 1]


@pytest.mark.parametrize(
    ("provider", "refusal", "code"),
    [
        ("openai-chat", Refusal.NO_KEY, "E_MODEL_ACCESS"),
        ("anthropic", Refusal.TOO_LONG, "E_CONTEXT_TOO_LONG"),
    ],
)
def test_what_would_not_pass_ends_the_turn_at_once_with_its_reason(
    provider: str, refusal: Refusal, code: str, endpoint: Endpoint, person: Person
) -> None:
    endpoint.will = [Refuses(refusal)]
    response, events = asked(person, provider)
    assert (response["status"], response["error"]["error_code"]) == ("failed", code)
    assert response["error"]["message"].endswith(".")
    assert len(endpoint.asked) == 1
    assert [event["type"] for event in events] == ["turn_started", "turn_failed"]


@pytest.mark.parametrize("provider", ["bedrock", "openai-chat"])
def test_a_turn_is_cancelled_while_the_model_speaks_and_it_is_told_to_be_quiet(
    provider: str, endpoint: Endpoint, person: Person
) -> None:
    session_id = person.session(model=provider)
    endpoint.will = [Answers(["word "] * 600, pause=0.05)]
    turn = person.start(session_id, "Talk for long.")["turn_id"]
    _until(lambda: endpoint.spoke)
    begun = time.monotonic()
    path = f"/api/sessions/{session_id}/turns/{turn}"
    assert person.call("DELETE", path).is_success
    events = person.events(session_id, turn)
    assert events[-1]["type"] == "turn_failed"
    assert endpoint.left.wait(CANCELLED_SECONDS)
    assert time.monotonic() - begun < CANCELLED_SECONDS
    assert person.call("GET", path).json()["status"] == "cancelled"


def test_bedrock_is_asked_with_the_persons_own_credentials(endpoint: Endpoint, person: Person) -> None:
    """The system has made-up ones for everything else, so that nothing of it ever reaches real AWS."""
    asked(person, "bedrock")
    signed = endpoint.asked[0].headers["Authorization"]
    assert "AKIAOFNOBODY" in signed
    assert "/eu-west-1/bedrock/" in signed


def _until(there: Any) -> None:  # noqa: ANN401  (a look at something)
    deadline = time.monotonic() + 10
    while not there():
        assert time.monotonic() < deadline
        time.sleep(0.01)
