"""One running system for all tests that do not end it, with real server processes."""

import json
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.listener import Listener, listening
from tests.e2e.person import Person
from tests.e2e.system import System, running_system
from tests.endpoints.server import PROVIDERS, Endpoint

SERVERS = Path(__file__).parent / "servers/mcp.json"
APPROVAL_SECONDS = 20
KEYS = {"OPENAI_API_KEY": "sk-of-nobody", "ANTHROPIC_API_KEY": "sk-of-nobody"}
KEYS |= {"AWS_ACCESS_KEY_ID": "AKIAOFNOBODY", "AWS_SECRET_ACCESS_KEY": "of-nobody", "AWS_REGION": "eu-west-1"}

Somebody = Callable[..., Person]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here runs the whole system."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session")
def endpoint() -> Iterator[Endpoint]:
    """Serve what a model's provider would: the system offers models of it, beside the stand-in."""
    with Endpoint().running() as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def dashboards() -> Iterator[Listener]:
    """Serve dashboards: the system lets tools show those of this site."""
    with listening() as listener:
        yield listener


@pytest.fixture(scope="session")
def system(endpoint: Endpoint, dashboards: Listener) -> Iterator[System]:
    """It is handed out when it knows the tools of every server: starting them all takes the processor for a while."""
    settings = {"SATCHEL_MCP_CONFIG": str(SERVERS), "SATCHEL_APPROVAL_SECONDS": str(APPROVAL_SECONDS)}
    models = [{"name": "offline", "model": "offline"}]
    models += [{"name": provider, "model": endpoint.name(provider)} for provider in PROVIDERS]
    settings |= {"SATCHEL_MODELS": json.dumps(models), **KEYS}
    settings["SATCHEL_CANVAS_ORIGINS"] = dashboards.origin
    settings["POWERTOOLS_LOG_LEVEL"] = "INFO"  # as deployed: what would be logged there is looked at here
    with running_system(settings=settings) as running:
        onlooker = Person(running.url, "onlooker@example.com", "users,staff")
        while any(server["status"] == "starting" for server in onlooker.call("GET", "/api/tools").json()["servers"]):
            time.sleep(0.1)
        yield running


@pytest.fixture
def somebody(system: System) -> Somebody:
    """Make a new person, whom nobody has been before."""

    def make(groups: str = "users") -> Person:
        return Person(system.url, f"u{uuid.uuid4().hex[:12]}@example.com", groups)

    return make
