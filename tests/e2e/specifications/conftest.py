"""One system for the examples of all specifications: their servers, and a scripted model."""

import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.specifications.chat import Chat
from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.user_client import UserClient, run_user
from tests.fake_providers.server import FakeEndpoint

if TYPE_CHECKING:
    from tests.e2e.password_system import PasswordSystem

MCP_CONFIG = Path(__file__).with_name("mcp.json")
DASHBOARD_ORIGINS = "https://mcp.example.com,https://tool-host"
START_SECONDS = 180.0

NewChat = Callable[..., Chat]


def unused_name(prefix: str) -> str:
    """Return a user name that no other run of these tests uses, because each user has one directory on the machine."""
    return f"{prefix}{uuid.uuid4().hex[:12]}@example.com"


@pytest.fixture(scope="session")
def system(endpoint: FakeEndpoint) -> Iterator[SystemProcess]:
    """The running system. Waits until all servers have listed their tools."""
    model = {"name": "scripted", "model": endpoint.model_name("openai-chat")}
    settings = {
        "SATCHEL_MCP_CONFIG": str(MCP_CONFIG),
        "SATCHEL_MODELS": json.dumps([model]),
        "SATCHEL_CANVAS_ORIGINS": DASHBOARD_ORIGINS,
        "OPENAI_API_KEY": "sk-fake",
        "POWERTOOLS_LOG_LEVEL": "INFO",  # as deployed
    }
    with running_system(settings=settings) as running:
        UserClient(running.url, run_user("observer"), "users,staff").wait_for_tools()
        yield running


@pytest.fixture(scope="session")
def user(system: SystemProcess) -> UserClient:
    """One user for most examples, so that the servers stay warm. Each test has its own session."""
    return UserClient(system.url, unused_name("alice"))


@pytest.fixture
def chat(user: UserClient, endpoint: FakeEndpoint) -> Chat:
    """A new session of the common user."""
    return Chat(user, user.create_session(), endpoint)


SIGN_INS = pytest.mark.parametrize("new_chat", ["key", "password"], indirect=True)
"""Mark of tests of isolation: their users are separated by the header of the local run, and by their sessions."""


@pytest.fixture
def new_chat(request: pytest.FixtureRequest, endpoint: FakeEndpoint) -> NewChat:
    """Factory of sessions of users with unused names, for examples about the files that a user has.

    With the mark ``SIGN_INS``, also of users with accounts.
    """
    if getattr(request, "param", "key") == "password":
        shared: PasswordSystem = request.getfixturevalue("password_system")

        def create_with_account(groups: str = "users") -> Chat:
            user = shared.new_user(groups)
            return Chat(user, user.create_session(model="scripted"), endpoint)

        return create_with_account
    system: SystemProcess = request.getfixturevalue("system")

    def create(groups: str = "users") -> Chat:
        user = UserClient(system.url, unused_name("u"), groups)
        return Chat(user, user.create_session(), endpoint)

    return create
