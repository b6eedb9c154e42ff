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
    entry = ServerEntry(command=["python", "app_server.py"], cwd=str(SERVER_PROGRAMS))
    client = McpToolClient("apps", entry, loop, os.environ)
    yield ToolCaller(client, tmp_path_factory.mktemp("home"))
    client.close()


def answer(server: ToolCaller, tool: str, uri: str | None, text: str = "x") -> AppAnswer:
    with server.client.call(tool, {"text": text}, server.workspace, writes=True, app=AppRequest(uri)) as running:
        result = server.remaining(running)[-1]
    assert isinstance(result, ToolResult)
    assert result.app is not None
    return result.app


def embedded(server: ToolCaller, text: str, **arguments: str) -> ToolResult:
    """Call the tool that embeds its app. The client requests none."""
    with server.client.call("embed", {"text": text} | arguments, server.workspace, writes=True) as running:
        result = server.remaining(running)[-1]
    assert isinstance(result, ToolResult)
    return result


@pytest.mark.parametrize("mime", ["text/html", "text/html;profile=mcp-app", "text/html+skybridge"])
def test_page_in_a_result_is_its_app_and_no_second_file(server: ToolCaller, mime: str) -> None:
    result = embedded(server, "<p>Hi</p>", mime=mime)
    assert result.app is not None
    assert result.app.page is not None
    assert (result.app.page.uri, result.app.page.html) == ("ui://demo/embedded", "<p>Hi</p>")
    assert [block.get("text") for block in result.raw["content"]] == [
        "before",
        "The user sees the app ui://demo/embedded.",
    ]
    assert result.app.result["content"][1]["type"] == "resource"


@pytest.mark.parametrize(
    ("text", "mime"),
    [
        ('# list\nmailto:a@b.example\nhttps://a.example:8443/x?y="z\n', "text/uri-list"),
        ('https://a.example:8443/x?y="z', "text/html;profile=mcp-app"),
    ],
)
def test_address_in_a_result_is_shown_in_a_frame_of_that_origin_only(server: ToolCaller, text: str, mime: str) -> None:
    result = embedded(server, text, mime=mime)
    assert result.app is not None
    assert result.app.page is not None
    assert 'src="https://a.example:8443/x?y=&quot;z"' in result.app.page.html
    assert result.app.page.state({}).policy == AppPolicy(frame_domains=["https://a.example:8443"])


@pytest.mark.parametrize(
    ("text", "mime", "uri"),
    [
        ("x", "text/uri-list", "ui://demo/list"),
        ("javascript:alert(1)", "text/uri-list", "ui://demo/list"),
        ("<p>", "text/html", "https://demo.example/page"),
        ("x", "application/vnd.mcp-ui.remote-dom", "ui://demo/dom"),
    ],
)
def test_other_resources_of_a_result_are_no_apps(server: ToolCaller, text: str, mime: str, uri: str) -> None:
    result = embedded(server, text, mime=mime, uri=uri)
    assert result.app is None
    assert result.raw["content"][1]["type"] == "resource"


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
