"""Apps of tools: the server's page and the result as the server sent it."""

import os
from collections.abc import Iterator

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.domain.apps import AppPolicy
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import AppAnswer, AppRequest, ToolResult
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS, ToolCaller


@pytest.fixture(scope="module")
def server(loop: EventLoop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolCaller]:
    entry = ServerEntry(command=["python", str(SERVER_PROGRAMS / "app_server.py")])
    client = McpToolClient("apps", entry, loop, os.environ)
    yield ToolCaller(client, tmp_path_factory.mktemp("home"))
    client.close()


def answer(server: ToolCaller, tool: str, uri: str | None, text: str = "x") -> AppAnswer:
    with server.client.call(tool, {"text": text}, server.workspace, writes=True, app=AppRequest(uri)) as running:
        result = server.remaining(running)[-1]
    assert isinstance(result, ToolResult)
    assert result.app is not None
    return result.app


def test_tool_names_its_app_and_who_may_call_it(server: ToolCaller) -> None:
    tools = {tool.name: tool for tool in server.client.list_tools()}
    uris = {name: tool.app_uri for name, tool in tools.items() if name.startswith("show")}
    assert uris == {
        "show": "ui://demo/page",
        "show_text": "ui://demo/text",
        "show_missing": "ui://demo/missing",
        "show_web": None,
    }
    assert [(tools[name].for_model, tools[name].for_app) for name in ("show", "show_text")] == [
        (True, False),
        (True, True),
    ]


def test_server_returns_the_page_with_the_declared_domains(server: ToolCaller) -> None:
    shown = answer(server, "show", "ui://demo/page")
    assert shown.page is not None
    state = shown.page.state(shown.result)
    assert (shown.page.html, shown.result["structuredContent"]) == ("<h1>Demo</h1>", {"text": "x"})
    assert state.policy == AppPolicy(connect_domains=["https://api.example"])
    assert (state.uri, state.writes_clipboard, state.prefers_border) == ("ui://demo/page", True, True)


@pytest.mark.parametrize(
    ("tool", "uri", "problem"),
    [
        ("show_text", "ui://demo/text", "its type is 'text/plain'"),
        ("show_missing", "ui://demo/missing", "The app ui://demo/missing cannot be shown"),
    ],
)
def test_app_that_is_no_page_is_a_problem_of_the_call(server: ToolCaller, tool: str, uri: str, problem: str) -> None:
    shown = answer(server, tool, uri)
    assert shown.page is None
    assert problem in (shown.problem or "")
    assert shown.result["structuredContent"] == {"text": "x"}


def test_failed_call_opens_no_app(server: ToolCaller) -> None:
    shown = answer(server, "show", "ui://demo/page", "fail")
    assert (shown.page, shown.problem, shown.result["isError"]) == (None, None, True)


def test_app_gets_the_result_of_its_own_call(server: ToolCaller) -> None:
    assert answer(server, "show", None).result["structuredContent"] == {"text": "x"}
