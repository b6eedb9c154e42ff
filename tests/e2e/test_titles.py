"""Titles that a model writes for new chats."""

import json
import threading
import time
from collections.abc import Iterator

import pytest

from tests.e2e.conftest import KEYS, MCP_CONFIG, NO_CART, UNAVAILABLE
from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.user_client import Json, UserClient, run_user, wait_for_tools
from tests.fake_providers.replies import Answer, Reply, Request
from tests.fake_providers.server import FakeEndpoint

MAX_TITLE_SECONDS = 60.0  # below the 90 seconds after which a silent model is given up
TITLE = Answer(["Two sums"], tokens=(30, 3))


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeEndpoint]:
    with FakeEndpoint().running() as provider:
        yield provider


@pytest.fixture(scope="module")
def titles_system(provider: FakeEndpoint) -> Iterator[SystemProcess]:
    """A system whose model writes titles."""
    models = [{"name": "small", "model": provider.model_name("openai-chat")}, {"name": "offline", "model": "offline"}]
    settings = {"SATCHEL_MODELS": json.dumps(models), "SATCHEL_MODEL": "small", "SATCHEL_CHAT_TITLES": "true"}
    settings |= {"SATCHEL_MCP_CONFIG": str(MCP_CONFIG), **NO_CART, **KEYS}
    with running_system(settings=settings) as system:
        wait_for_tools(system.url, "cart", *UNAVAILABLE)
        yield system


@pytest.fixture
def user(titles_system: SystemProcess, provider: FakeEndpoint) -> UserClient:
    provider.requests = []

    def reply(request: Request) -> Reply:
        return TITLE if is_for_title(request) else Answer(["Four, ", "I think."], pause=0.5, tokens=(50, 7))

    provider.default_reply = reply
    return UserClient(titles_system.url, run_user("titles"))


def is_for_title(request: Request) -> bool:
    return "Write a title" in str(request.body)


def read_title(user: UserClient, session_id: str) -> Json:
    session: Json = user.request("GET", f"/api/sessions/{session_id}").json()
    return session


def test_title_of_the_model_replaces_the_first_line_and_counts_in_the_usage(
    user: UserClient, provider: FakeEndpoint
) -> None:
    session_id = user.create_session(title="What is 2 + 2?")

    def answer_after_the_title(request: Request) -> Reply:
        """Let the answer to the first message end after the title, which is given up otherwise."""
        deadline = time.monotonic() + MAX_TITLE_SECONDS
        while not is_for_title(request) and read_title(user, session_id)["title"] != "Two sums":
            if time.monotonic() > deadline:
                break
            time.sleep(0.05)
        return reply(request)

    reply, provider.default_reply = provider.default_reply, answer_after_the_title
    response = user.ask(session_id, "What is 2 + 2?")
    assert response["message"] == "Four, I think."
    session = read_title(user, session_id)
    assert session["title"] == "Two sums"
    for counted in (response["usage"], session["usage"]):
        assert {"input_tokens": 80, "output_tokens": 10}.items() <= counted.items()
    user.ask(session_id, "And 3 + 3?")
    titles = [request for request in provider.requests if is_for_title(request)]
    assert len(titles) == 1, [str(each.body)[:600] for each in titles]


def test_title_of_the_user_stays(user: UserClient, provider: FakeEndpoint) -> None:
    session_id = user.create_session(title="Homework")
    user.ask(session_id, "What is 2 + 2?")
    assert read_title(user, session_id)["title"] == "Homework"
    assert [is_for_title(request) for request in provider.requests] == [False]


def test_slow_title_does_not_delay_the_answer(user: UserClient, provider: FakeEndpoint) -> None:
    is_title_asked = threading.Event()

    def reply(request: Request) -> Reply:
        if is_for_title(request):
            is_title_asked.set()
            return Answer(["Two sums"], silence=2 * MAX_TITLE_SECONDS)
        assert is_title_asked.wait(MAX_TITLE_SECONDS)  # an earlier answer would cancel the request for the title
        return Answer(["Four."], silence=0.2)

    provider.default_reply = reply
    session_id = user.create_session(title="What is 2 + 2?")
    started = time.monotonic()
    response = user.ask(session_id, "What is 2 + 2?")
    assert response["message"] == "Four."
    assert time.monotonic() - started < MAX_TITLE_SECONDS
    assert provider.client_disconnected.wait(MAX_TITLE_SECONDS)
    assert read_title(user, session_id)["title"] == "What is 2 + 2?"


def test_offline_model_leaves_the_first_line(user: UserClient, provider: FakeEndpoint) -> None:
    session_id = user.create_session(title="What is 2 + 2?", model="offline")
    user.ask(session_id, "What is 2 + 2?")
    assert read_title(user, session_id)["title"] == "What is 2 + 2?"
    assert provider.requests == []
