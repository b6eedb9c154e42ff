"""One running system with real tool servers, shared by all tests that do not stop it."""

import json
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.e2e.password_system import PasswordSystem, running_password_system
from tests.e2e.recording_site import RecordingSite, running_site
from tests.e2e.system_process import ROOT, SystemProcess, running_system, serve_command
from tests.e2e.user_client import Json, UserClient, run_user
from tests.fake_providers.held_pieces import HeldPieces, HoldPieces
from tests.fake_providers.server import PROVIDERS, FakeEndpoint

CART_SERVER = Path(__file__).parents[1] / "mcp_servers/cart_server.py"
MCP_CONFIG = Path(__file__).parent / "tool_servers/mcp.json"
PASSWORD_CONFIG = MCP_CONFIG.with_name("password.json")
NO_NODE = shutil.which("node") is None or not (ROOT / "node_modules/@modelcontextprotocol/sdk").is_dir()
UNAVAILABLE = ("node", "node_checked") if NO_NODE else ()
"""The servers of ``MCP_CONFIG`` that cannot start on this machine."""
NO_CART = {"CART_URL": "http://127.0.0.1:9"}
"""Setting for systems with ``MCP_CONFIG`` whose tests do not call the remote server."""
APPROVAL_SECONDS = 600  # no test waits so long, however busy the machine is
KEYS = {"OPENAI_API_KEY": "sk-fake", "ANTHROPIC_API_KEY": "sk-fake"}
KEYS |= {"AWS_ACCESS_KEY_ID": "AKIAFAKEKEY", "AWS_SECRET_ACCESS_KEY": "fake", "AWS_REGION": "eu-west-1"}

NewUser = Callable[..., UserClient]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder with ``e2e``."""
    for item in items:
        if item.nodeid.startswith("tests/e2e/"):  # pytest passes the tests of all folders, so this must be cheap
            item.add_marker(pytest.mark.e2e)


def with_absolute_folder(entry: Json) -> Json:
    """Return an entry of ``MCP_CONFIG`` for a file in another folder."""
    return entry | {"cwd": str((MCP_CONFIG.parent / entry["cwd"]).resolve())}


@pytest.fixture(scope="session")
def endpoint() -> Iterator[FakeEndpoint]:
    """The fake model providers. The system offers two models of each, and ``offline``: ``blind-…`` have no vision."""
    with FakeEndpoint().running() as endpoint:
        yield endpoint


@pytest.fixture
def hold_pieces() -> Iterator[HoldPieces]:
    """Hold the pieces of an answer until the test releases them. After the test, release the rest, also if it fails."""
    held: list[HeldPieces] = []

    def hold(pieces: Sequence[str]) -> HeldPieces:
        held.append(HeldPieces(pieces))
        return held[-1]

    yield hold
    for each in held:
        each.release_all()


@pytest.fixture(scope="session")
def dashboards() -> Iterator[RecordingSite]:
    """The site whose dashboards the system allows tools to open."""
    with running_site() as site:
        yield site


@pytest.fixture(scope="session")
def cart() -> Iterator[str]:
    """The URL of a remote MCP server that keeps a cart in each MCP session."""
    with subprocess.Popen([sys.executable, str(CART_SERVER)], stdout=subprocess.PIPE) as process:  # noqa: S603
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.kill()


@pytest.fixture(scope="session")
def system(endpoint: FakeEndpoint, dashboards: RecordingSite, cart: str) -> Iterator[SystemProcess]:
    """The running system. Waits until all servers have listed their tools, because their start needs much CPU time."""
    settings = {"SATCHEL_MCP_CONFIG": str(MCP_CONFIG), "SATCHEL_APPROVAL_SECONDS": str(APPROVAL_SECONDS)}
    models: list[Json] = [{"name": "offline", "model": "offline"}]
    models += [{"name": provider, "model": endpoint.model_name(provider)} for provider in PROVIDERS]
    models += [{**model, "name": f"blind-{model['name']}", "vision": False, "documents": False} for model in models[1:]]
    settings |= {"SATCHEL_MODELS": json.dumps(models), **KEYS}
    settings["CART_URL"] = cart
    settings["SATCHEL_CANVAS_ORIGINS"] = dashboards.origin
    settings["POWERTOOLS_LOG_LEVEL"] = "INFO"  # as deployed, so that the search for tokens covers the same log lines
    with running_system(serve_command(), settings=settings) as running:
        UserClient(running.url, run_user("observer"), "users,staff").wait_for_tools(*UNAVAILABLE)
        dashboards.issuers.append(running.url)
        yield running


@pytest.fixture(scope="session")
def password_system(tmp_path_factory: pytest.TempPathFactory, endpoint: FakeEndpoint) -> Iterator[PasswordSystem]:
    """A running system whose users have accounts. It offers the offline model and a scripted one."""
    models = [
        {"name": "offline", "model": "offline"},
        {"name": "scripted", "model": endpoint.model_name("openai-chat")},
    ]
    settings = {"SATCHEL_MODELS": json.dumps(models), "OPENAI_API_KEY": KEYS["OPENAI_API_KEY"]}
    with running_password_system(tmp_path_factory.mktemp("data"), PASSWORD_CONFIG, settings) as system:
        system.new_user("users,staff").wait_for_tools()
        yield system


SIGN_INS = pytest.mark.parametrize("new_user", ["key", "password"], indirect=True)
"""Mark of tests of isolation: their users are separated by the header of the local run, and by their sessions."""


@pytest.fixture
def new_user(request: pytest.FixtureRequest) -> NewUser:
    """Factory of users with unused names. With the mark ``SIGN_INS``, also of users with accounts."""
    if getattr(request, "param", "key") == "password":
        shared: PasswordSystem = request.getfixturevalue("password_system")
        return shared.new_user
    system: SystemProcess = request.getfixturevalue("system")

    def create(groups: str = "users") -> UserClient:
        return UserClient(system.url, f"u{uuid.uuid4().hex[:12]}@example.com", groups)

    return create
