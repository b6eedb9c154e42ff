"""Files that move outside of MCP messages (draft SEP-2631) in the running system, with a real server over HTTP."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.user_client import Json, UserClient, fetch, run_user, wait_for_tools
from tests.integration.mcp.test_http_sessions import serve
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS

TEXT = "a,b\n1,2\n" * 200_000
REPORT = "made,by\nthe,server\n" * 1000


@dataclass
class Caller:
    """A user of a system with the server ``transfer``, and with ``closed``: the same one without the key."""

    user: UserClient
    server_url: str

    def call(self, tool: str, *names: str, **arguments: object) -> Json:
        """Upload files with these names, call a tool, and return the final response."""
        session = self.user.create_session()
        for name in names:
            self.user.upload(session, name, TEXT.encode())
        return self.user.ask(session, f"/{tool} {json.dumps(arguments)}")


@pytest.fixture(scope="module")
def server_url() -> Iterator[str]:
    yield from serve(SERVER_PROGRAMS / "transfer_server.py")


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, server_url: str) -> Iterator[SystemProcess]:
    config = tmp_path_factory.mktemp("transfer") / "mcp.json"
    entry = {"url": f"{server_url}/mcp"}
    config.write_text(json.dumps({"transfer": entry | {"file_transfer": True}, "closed": entry}))
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(config)}) as running:
        wait_for_tools(running.url)
        yield running


@pytest.fixture
def caller(system: SystemProcess, server_url: str) -> Caller:
    return Caller(UserClient(system.url, run_user("sender")), server_url)


@pytest.mark.parametrize("name", ["sales.csv", "form.csv"])
def test_tool_gets_the_address_of_the_uploaded_file(caller: Caller, name: str) -> None:
    [called] = caller.call("transfer.describe", name, document=name)["tool_calls"]

    assert called["is_error"] is False, called
    stored = httpx2.get(f"{caller.server_url}/download/{name}", headers={"X-Ticket": "t3"}, timeout=60).text
    assert f"mcp-file://transfer/{name}" in json.dumps(called["results"])
    assert stored == TEXT


def test_file_of_a_result_becomes_a_file_of_the_user_and_no_copy_stays(caller: Caller) -> None:
    response = caller.call("transfer.make", name="report.csv")

    [file] = response["artifacts"]
    assert (file["name"], file["mime"]) == ("report.csv", "text/csv")
    assert fetch(caller.user.url + file["download_url"]).text == REPORT
    assert list(Path("/tmp", caller.user.name).glob(".received*")) == []


def test_without_the_key_a_tool_that_needs_uploads_is_refused_with_the_key(caller: Caller) -> None:
    [called] = caller.call("closed.describe", "sales.csv", document="sales.csv")["tool_calls"]

    assert (called["is_error"], called["error_code"]) == (True, "E_TOOL_FAILED")
    assert '"file_transfer": true' in called["meta_data"]["details"]["suggestion"]


@pytest.mark.parametrize("server", ["transfer", "closed"])
def test_file_that_the_schema_wants_inline_is_a_data_uri(caller: Caller, server: str) -> None:
    session = caller.user.create_session()
    caller.user.upload(session, "small.csv", b"a,b\n")
    [called] = caller.user.ask(session, f'/{server}.embed {{"document": "small.csv"}}')["tool_calls"]

    # The tool returned the URI ``data:text/csv;name=small.csv;base64,YSxiCg==``, which no result shows.
    assert called["results"] == {"result": "[data URL omitted: text/csv, 44 characters]"}
