"""Methods of MCP Apps between the page and an app that uses the official SDK (docs/apps.md)."""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Frame, Page, expect

from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.user_client import run_user, wait_for_tools
from tests.e2e.web.accessibility import find_axe_violations
from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.conftest import ChatPageFactory
from tests.e2e.web.keyboard import Keyboard
from tests.e2e.web.sdk_app import DEMO

NARROW = {"width": 360, "height": 640}
RUNNING = ".pane:not([hidden]) iframe[data-status=running]"
_REQUEST = """([method, params]) => new Promise(resolve => {
    const id = `test-${method}`;
    addEventListener('message', ({data}) => { if (data.id === id) resolve(data); });
    parent.postMessage({jsonrpc: '2.0', id, method, params}, '*');
})"""


def write_config(folder: Path, servers: dict[str, Any]) -> Path:
    config = folder / "mcp.json"
    config.write_text(json.dumps({"mcpServers": servers}))
    return config


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SystemProcess]:
    """The system of this file, in place of the one of all end-to-end tests."""
    noticed_early = {"silence_seconds": 60, "notice_seconds": [1, 2, 3]}
    config = write_config(tmp_path_factory.mktemp("methods"), {"demo": DEMO | noticed_early})
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(config)}) as running:
        wait_for_tools(running.url)
        yield running


@pytest.fixture(scope="module")
def user_name() -> str:
    """One user for all tests of this file, whose servers start once; each test has a page and a chat of its own."""
    return run_user("methods")


def app_frame(page: Page, count: int = 1) -> Frame:
    """Wait until the visible apps run, and return the inner frame of the first."""
    expect(page.locator(RUNNING)).to_have_count(count)
    outer = page.locator(RUNNING).first.element_handle().content_frame()
    assert outer is not None
    (inner,) = outer.child_frames
    return inner


def opened(chat: ChatPage, text: str = "hello", tool: str = "show") -> Frame:
    chat.ask(f"/demo.{tool} {json.dumps({'text': text})}")
    frame = app_frame(chat.page)
    tool_events(frame)
    return frame


def tool_events(frame: Frame) -> list[list[Any]]:
    """Wait for the input and the result of an app's tool, and return them.

    The page may tell the app at any time that its surroundings have changed.
    """
    events = "window.events?.filter(([name]) => name !== 'host-context-changed')"
    frame.wait_for_function(f"{events}?.length >= 2")
    found: list[list[Any]] = frame.evaluate(events)
    return found


def context(frame: Frame) -> dict[str, Any]:
    found: dict[str, Any] = frame.evaluate("app.getHostContext()")
    return found


def test_app_learns_its_surroundings(chat: ChatPage) -> None:
    found = context(opened(chat))
    assert found["toolInfo"]["tool"]["name"] == "show"
    assert (found["theme"], found["displayMode"], found["platform"]) == ("light", "inline", "web")
    assert found["locale"] == chat.page.evaluate("navigator.language")
    assert found["availableDisplayModes"] == ["inline", "fullscreen", "pip"]
    assert found["containerDimensions"]["width"] > 0
    assert found["safeAreaInsets"] == {"top": 0, "right": 0, "bottom": 0, "left": 0}
    assert chat.user.name not in json.dumps(found)


def test_app_gets_the_arguments_and_the_result_of_its_call(chat: ChatPage) -> None:
    events = tool_events(opened(chat))
    assert [name for name, _ in events] == ["tool-input", "tool-result"]
    assert events[0][1] == {"arguments": {"text": "hello"}}
    assert events[1][1]["structuredContent"] == {"shown": "hello"}


def test_reload_restores_an_app_with_its_last_input_and_result(chat: ChatPage) -> None:
    opened(chat, "first")
    opened(chat, "last")
    chat.page.reload()
    expect(chat.turns.locator(".call")).to_have_count(2)  # otherwise the first app may run before the last replaces it
    chat.page.get_by_role("button", name="Canvas").click()
    events = tool_events(frame := app_frame(chat.page))
    assert [name for name, _ in events] == ["tool-input", "tool-result"]
    assert events[0][1] == {"arguments": {"text": "last"}}
    assert events[1][1]["structuredContent"] == {"shown": "last"}
    expect(frame.locator("#result")).to_contain_text("last")


def test_no_app_opens_for_a_call_that_failed(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(shared=False)  # of a new user: the page opens an app that it knows, whatever the call does
    chat.open()
    chat.ask('/demo.show {"text": "fail"}')
    expect(chat.page.locator(".app-frame")).to_have_count(0)


def test_app_hears_of_changed_surroundings(chat: ChatPage) -> None:
    frame = opened(chat)
    chat.page.emulate_media(color_scheme="dark")
    frame.wait_for_function("app.getHostContext().theme === 'dark'")
    width = context(frame)["containerDimensions"]["width"]
    chat.page.set_viewport_size({"width": 1100, "height": 700})
    frame.wait_for_function("width => app.getHostContext().containerDimensions.width !== width", arg=width)
    assert [name for name, _ in tool_events(frame)] == ["tool-input", "tool-result"]
    assert "host-context-changed" in [name for name, _ in frame.evaluate("events")]


def test_frame_gets_the_height_that_its_app_reports(chat: ChatPage) -> None:
    frame = opened(chat)
    frame.evaluate("app.sendSizeChanged({height: 1234})")
    expect(chat.page.locator(RUNNING)).to_have_css("height", "1234px")


def test_display_mode_changes_after_a_click_in_the_app(chat: ChatPage) -> None:
    frame = opened(chat)
    box = chat.page.locator(".app")
    assert frame.evaluate("app.requestDisplayMode({mode: 'pip'})") == {"mode": "inline"}
    frame.get_by_role("button", name="First").click()
    assert frame.evaluate("app.requestDisplayMode({mode: 'pip'})") == {"mode": "pip"}
    expect(box).to_have_class("app app-pip")
    frame.wait_for_function("app.getHostContext().displayMode === 'pip'")
    chat.page.get_by_role("button", name="Back to canvas").focus()
    chat.page.keyboard.press("Escape")
    expect(box).to_have_class("app app-inline")
    frame.wait_for_function("app.getHostContext().displayMode === 'inline'")


def test_file_of_an_app_is_saved_after_a_question(chat: ChatPage) -> None:
    frame = opened(chat)
    resource = {"uri": "file:///a/notes.txt", "mimeType": "text/plain", "text": "Notes"}
    contents = [{"type": "resource", "resource": resource}]
    frame.evaluate("contents => void (window.saved = app.downloadFile({contents}))", contents)
    dialog = chat.page.get_by_role("dialog", name="Save files?")
    with chat.page.expect_download() as saving:
        dialog.get_by_role("button", name="Save").click()
    assert saving.value.path().read_text() == "Notes"
    assert saving.value.suggested_filename == "notes.txt"
    assert not frame.evaluate("saved.then(({isError}) => isError ?? false)")


def test_app_that_asks_to_be_closed_is_closed_and_can_be_opened_again(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(shared=False)  # the clock is that of a whole profile, also in later tests
    chat.page.clock.install()
    chat.open()
    frame = opened(chat)
    chat.page.clock.pause_at(datetime.now(UTC) + timedelta(minutes=1))  # an app has half a second to finish
    frame.evaluate("void app.requestTeardown()")
    expect(chat.page.get_by_text("The app has closed.")).to_be_visible()
    expect(chat.page.locator(".app-logs pre")).to_contain_text("info: closing")
    chat.page.clock.resume()
    chat.page.get_by_role("button", name="Open again").click()
    expect(app_frame(chat.page).locator("#result")).to_contain_text("hello")


def test_ping_is_answered_and_lists_are_not_offered(chat: ChatPage) -> None:
    frame = opened(chat)
    assert frame.evaluate(_REQUEST, ["ping", {}])["result"] == {}
    assert frame.evaluate(_REQUEST, ["resources/list", {}])["result"] == {"resources": []}
    for method in ("resources/templates/list", "prompts/list", "sampling/createMessage", "resources/read"):
        params = {"uri": "ui://demo/app", "messages": [], "maxTokens": 1}
        assert "error" in frame.evaluate(_REQUEST, [method, params]), method


def test_two_apps_run_side_by_side(chat: ChatPage) -> None:
    opened(chat, "one")
    chat.ask('/demo.show_other {"text": "two"}')
    chat.page.get_by_role("button", name="Side by side").click()
    frames = chat.page.locator(RUNNING)
    expect(frames).to_have_count(2)
    texts = [frames.nth(each).content_frame.frame_locator("iframe").locator("#result") for each in range(2)]
    for text in texts:
        expect(text).to_contain_text("shown")
    assert {text.inner_text() for text in texts} == {'{"shown":"one"}', '{"shown":"two"}'}
    assert find_axe_violations(chat.page) == []


def test_app_works_on_a_screen_of_360_pixels(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(viewport=NARROW)
    chat.open()
    frame = opened(chat)
    assert chat.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for mode in ("pip", "fullscreen"):
        frame.get_by_role("button", name="First").click()  # counts for five seconds
        assert frame.evaluate("mode => app.requestDisplayMode({mode})", mode) == {"mode": mode}
        expect(chat.page.locator(".app")).to_have_class(f"app app-{mode}")
        box = chat.page.locator(".app").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= NARROW["width"]
        expect(chat.page.get_by_role("button", name="Back to canvas")).to_be_visible()
    assert find_axe_violations(chat.page) == []
    chat.page.get_by_role("button", name="Back to canvas").click()
    chat.page.get_by_role("button", name="Back to chat").click()
    expect(chat.message_box).to_be_visible()


def test_tab_moves_into_the_app_and_out_of_it(chat: ChatPage) -> None:
    frame = opened(chat)
    keyboard = Keyboard(chat.page)
    first, field, last = (frame.locator(each) for each in ("#first", "input", "#last"))
    keyboard.go_to("button", "Small window")
    for element in (first, field, last):
        chat.page.keyboard.press("Tab")
        expect(element).to_be_focused()  # a frame may have a process of its own, where the focus arrives later
    chat.page.keyboard.press("Tab")
    frame.wait_for_function("!document.hasFocus()")
    for element in (last, field, first):
        chat.page.keyboard.press("Shift+Tab")
        expect(element).to_be_focused()
    chat.page.keyboard.press("Shift+Tab")
    frame.wait_for_function("!document.hasFocus()")
    expect(chat.page.get_by_role("button", name="Small window")).to_be_focused()


def test_host_parts_of_an_app_with_an_open_question_are_accessible(chat: ChatPage) -> None:
    frame = opened(chat)
    frame.evaluate("void app.callServerTool({name: 'ping', arguments: {}})")
    expect(chat.page.locator(".app-calls li")).to_have_text("ping: done")
    chat.page.locator(".app-calls summary").click()
    assert find_axe_violations(chat.page) == []
    frame.evaluate("void app.sendMessage({role: 'user', content: [{type: 'text', text: 'Hi'}]})")
    expect(chat.page.get_by_role("dialog", name="Send a message?")).to_be_visible()
    assert find_axe_violations(chat.page) == []


def test_call_of_an_app_that_the_user_cancels_is_answered_with_an_error(chat: ChatPage) -> None:
    frame = opened(chat)
    frame.evaluate("void (window.waited = app.callServerTool({name: 'wait', arguments: {}}))")
    chat.page.locator(".app-calls").get_by_role("button", name="Cancel").click()
    result = frame.evaluate("waited")
    assert result["isError"]
    assert "cancel" in result["content"][0]["text"].lower()
    expect(chat.page.locator(".app-calls li")).to_have_text("wait: failed")
    assert [name for name, _ in tool_events(frame)] == ["tool-input", "tool-result"]


def test_app_stays_through_a_lost_connection_and_calls_its_tool_afterwards(chat: ChatPage) -> None:
    frame = opened(chat)
    call = "app.callServerTool({name: 'ping', arguments: {}})"
    chat.page.context.set_offline(True)
    assert frame.evaluate(call)["isError"]
    chat.page.context.set_offline(False)
    assert frame.evaluate(call)["content"][0]["text"] == "pong"
    expect(frame.locator("#result")).to_contain_text("hello")


def test_nothing_of_apps_is_loaded_before_an_app_opens(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page()
    requested: list[str] = []
    chat.page.on("request", lambda request: requested.append(request.url))
    chat.open()
    chat.ask("hello")
    before = set(requested)
    opened(chat)
    added = {url.rpartition("/")[2] for url in set(requested) - before if url.endswith((".js", ".css"))}
    assert any(name.startswith("AppViewer") for name in added)
    assert not any("AppViewer" in url or "app-bridge" in url for url in before)


def test_kept_app_opens_when_its_server_is_gone_and_its_calls_fail_clearly(
    new_chat_page: ChatPageFactory, tmp_path: Path
) -> None:
    config = write_config(tmp_path, {"demo": DEMO})
    settings = {"SATCHEL_MCP_CONFIG": str(config), "SATCHEL_DATA": str(tmp_path / "data")}
    with running_system(settings=settings) as first:
        wait_for_tools(first.url)
        chat = new_chat_page(base_url=first.url)
        chat.open()
        opened(chat, "kept")
        session = chat.session_id
        name = chat.user.name
    write_config(tmp_path, {"other": {"command": sys.executable, "args": ["-c", "pass"]}})
    with running_system(settings=settings) as second:
        chat = new_chat_page(signed_in=False, base_url=second.url)
        chat.page.add_init_script(f"localStorage.setItem('satchel.user', {json.dumps(name)})")
        chat.open(session)
        chat.page.get_by_role("button", name="Canvas").click()
        frame = app_frame(chat.page)
        assert tool_events(frame)[0] == ["tool-input", {"arguments": {"text": "kept"}}]
        expect(frame.locator("#result")).to_contain_text("kept")
        result = frame.evaluate("app.callServerTool({name: 'ping', arguments: {}})")
        assert result["isError"]
        assert "demo" in result["content"][0]["text"]
