"""One running system with real tool servers, shared by all tests that do not stop it."""

import json
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.recording_site import RecordingSite, running_site
from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.user_client import UserClient, run_user
from tests.fake_providers.server import PROVIDERS, FakeEndpoint

MCP_CONFIG = Path(__file__).parent / "tool_servers/mcp.json"
APPROVAL_SECONDS = 20
KEYS = {"OPENAI_API_KEY": "sk-fake", "ANTHROPIC_API_KEY": "sk-fake"}
KEYS |= {"AWS_ACCESS_KEY_ID": "AKIAFAKEKEY", "AWS_SECRET_ACCESS_KEY": "fake", "AWS_REGION": "eu-west-1"}

NewUser = Callable[..., UserClient]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder with ``e2e``."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session")
def endpoint() -> Iterator[FakeEndpoint]:
    """The fake model providers. The system offers one model of each, and the offline model."""
    with FakeEndpoint().running() as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def dashboards() -> Iterator[RecordingSite]:
    """The site whose dashboards the system allows tools to open."""
    with running_site() as site:
        yield site


@pytest.fixture(scope="session")
def system(endpoint: FakeEndpoint, dashboards: RecordingSite) -> Iterator[SystemProcess]:
    """The running system. Waits until all servers have listed their tools, because their start needs much CPU time."""
    settings = {"SATCHEL_MCP_CONFIG": str(MCP_CONFIG), "SATCHEL_APPROVAL_SECONDS": str(APPROVAL_SECONDS)}
    models = [{"name": "offline", "model": "offline"}]
    models += [{"name": provider, "model": endpoint.model_name(provider)} for provider in PROVIDERS]
    settings |= {"SATCHEL_MODELS": json.dumps(models), **KEYS}
    settings["SATCHEL_CANVAS_ORIGINS"] = dashboards.origin
    settings["POWERTOOLS_LOG_LEVEL"] = "INFO"  # as deployed, so that the search for tokens covers the same log lines
    with running_system(settings=settings) as running:
        observer = UserClient(running.url, run_user("observer"), "users,staff")
        while any(server["status"] == "starting" for server in observer.request("GET", "/api/tools").json()["servers"]):
            time.sleep(0.1)
        dashboards.issuers.append(running.url)
        yield running


@pytest.fixture
def new_user(system: SystemProcess) -> NewUser:
    """Factory of users with unused names."""

    def create(groups: str = "users") -> UserClient:
        return UserClient(system.url, f"u{uuid.uuid4().hex[:12]}@example.com", groups)

    return create
