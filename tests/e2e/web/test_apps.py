"""Apps of MCP servers in the canvas: the official examples, unchanged, and what the page does for them."""

import json
import os
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import FrameLocator, Locator, Route, expect

from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import run_user
from tests.e2e.web.app_servers import ARE_INSTALLED, app_system
from tests.e2e.web.chat_page import ChatPage

pytestmark = pytest.mark.skipif(
    "CI" not in os.environ and not ARE_INSTALLED, reason="the example servers are not installed (make test does that)"
)


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SystemProcess]:
    """The system of this file, in place of the one of all end-to-end tests."""
    with app_system(tmp_path_factory.mktemp("apps"), {}) as running:
        yield running


@pytest.fixture(scope="module")
def user_name() -> str:
    """One user for all tests of this file, whose servers start once; each test has a page and a chat of its own."""
    return run_user("apps")


def frame_of(chat: ChatPage) -> Locator:
    """Return the frame of the selected app, after the app has started."""
    frame = chat.page.locator(".pane:not([hidden]) iframe[data-status=running]")
    expect(frame).to_have_count(1)
    return frame


def app_in(chat: ChatPage) -> FrameLocator:
    """Return the document of the app: the inner frame of the sandbox."""
    frame_of(chat)
    return chat.page.frame_locator(".pane:not([hidden]) iframe[data-status=running]").frame_locator("iframe")


def opened(chat: ChatPage, message: str) -> FrameLocator:
    """Call a tool and return its app."""
    chat.ask(message)
    return app_in(chat)


@pytest.mark.parametrize("server", ["basic-vanillajs", "basic-react", "basic-vue"])
def test_basic_example_shows_the_result_of_its_tool(chat: ChatPage, server: str) -> None:
    app = opened(chat, f"/{server}.get-time {{}}")
    expect(app.get_by_text(re.compile(r"^\d{4}-\d\d-\d\dT"))).to_be_visible()


def test_link_of_an_app_is_opened_only_if_the_user_allows_it(chat: ChatPage) -> None:
    app = opened(chat, "/basic-vanillajs.get-time {}")
    app.get_by_role("button", name="Open Link").click()
    dialog = chat.page.get_by_role("dialog", name="Open a link?")
    expect(dialog.get_by_text("https://")).to_be_visible()
    dialog.get_by_role("button", name="Deny").click()
    expect(dialog).to_be_hidden()
    app.get_by_role("button", name="Open Link").click()
    with chat.page.context.expect_page():
        dialog.get_by_role("button", name="Open").click()


def test_log_of_an_app_is_shown_outside_of_the_app(chat: ChatPage) -> None:
    app = opened(chat, "/basic-vanillajs.get-time {}")
    app.get_by_role("button", name="Send Log").click()
    logs = chat.page.locator(".app-logs")
    logs.locator("summary").click()
    expect(logs.locator("pre")).to_contain_text("info: ")


def test_app_is_restored_after_a_reload_with_its_result(chat: ChatPage) -> None:
    app = opened(chat, "/basic-vanillajs.get-time {}")
    time = app.get_by_text(re.compile(r"^\d{4}-\d\d-\d\dT"))
    shown = time.inner_text()
    chat.page.reload()
    chat.page.get_by_role("button", name="Canvas").click()
    expect(app_in(chat).get_by_text(shown)).to_be_visible()


def test_app_fills_the_page_and_returns_with_escape(chat: ChatPage) -> None:
    opened(chat, "/basic-vanillajs.get-time {}")
    box = chat.page.locator(".app")
    chat.page.locator(".app-bar").get_by_role("button", name="Full screen").click()
    expect(box).to_have_class("app app-fullscreen")
    size = box.bounding_box()
    assert size is not None
    assert (size["width"], size["height"]) == (1280, 800)
    chat.page.keyboard.press("Escape")
    expect(box).to_have_class("app app-inline")


def test_frame_is_on_another_origin_and_the_app_has_none(chat: ChatPage) -> None:
    opened(chat, "/basic-vanillajs.get-time {}")
    config = chat.page.request.get("/config.json").json()
    page, sandbox, app = chat.page.frames
    assert sandbox.url.startswith(config["apps"])
    assert page.evaluate("origin") not in {config["apps"], app.evaluate("origin")}
    assert app.evaluate("origin") == "null"


def expect_calls(chat: ChatPage, tool: str, *statuses: str) -> None:
    """Wait until the list of the app's calls ends with these states of a tool."""
    items = chat.page.locator(".app-calls li")
    expect(items.first).to_be_attached()
    for status in statuses:
        expect(items.filter(has_text=f"{tool}: {status}").first).to_be_attached()


def test_basic_example_calls_its_tool(chat: ChatPage) -> None:
    app = opened(chat, "/basic-react.get-time {}")
    time = app.get_by_text(re.compile(r"^\d{4}-\d\d-\d\dT"))
    shown = time.inner_text()
    app.get_by_role("button", name="Get Server Time").click()
    expect_calls(chat, "get-time", "done")
    expect(time).not_to_have_text(shown)


def test_budget_allocator_changes_the_total(chat: ChatPage) -> None:
    app = opened(chat, "/budget-allocator.get-budget-data {}")
    app.locator("#budget-selector").select_option("250000")
    expect(app.get_by_text("/ $250,000")).to_be_visible()


def test_cohort_heatmap_calls_its_tool_for_another_metric(chat: ChatPage) -> None:
    app = opened(chat, "/cohort-heatmap.get-cohort-data {}")
    app.locator("select").first.select_option("revenue")
    expect_calls(chat, "get-cohort-data", "done")
    expect(app.get_by_text("Failed to load data")).to_be_hidden()


def test_customer_segmentation_loads_its_data_by_a_call(chat: ChatPage) -> None:
    app = opened(chat, "/customer-segmentation.get-customer-data {}")
    expect_calls(chat, "get-customer-data", "done")
    app.locator("#x-axis").select_option("nps")
    expect(app.locator("canvas")).to_be_visible()


def test_debug_example_calls_tools_that_only_apps_may_call(chat: ChatPage) -> None:
    app = opened(chat, "/debug.debug-tool {}")
    expect_calls(chat, "debug-log", "done")
    app.locator("#display-fullscreen-btn").click()
    expect(chat.page.locator(".app")).to_have_class("app app-fullscreen")
    app.locator("#display-inline-btn").click()
    expect(chat.page.locator(".app")).to_have_class("app app-inline")


def test_context_and_message_of_an_app_reach_the_chat(chat: ChatPage) -> None:
    app = opened(chat, "/debug.debug-tool {}")
    app.locator("#update-context-text-btn").click()
    app.locator("#send-message-text-btn").click()
    dialog = chat.page.get_by_role("dialog", name="Send a message?")
    text = dialog.locator("pre").inner_text()
    bodies: list[str] = []

    def record(route: Route) -> None:
        bodies.append(route.request.post_data or "")
        route.continue_()

    chat.page.route("**/turns", record)
    dialog.get_by_role("button", name="Send").click()
    expect(chat.turns).to_have_count(2)
    (body,) = [json.loads(each) for each in bodies]
    assert body["message"] == text
    assert len(body["context"]) == 1


def test_scenario_modeler_compares_scenarios(chat: ChatPage) -> None:
    app = opened(chat, "/scenario-modeler.get-scenario-data {}")
    app.locator("select").first.select_option("cash-cow")
    expect(app.locator("select").first).to_have_value("cash-cow")


def test_system_monitor_polls_its_tool(chat: ChatPage) -> None:
    app = opened(chat, "/system-monitor.get-system-info {}")
    expect_calls(chat, "poll-system-stats", "done")
    app.locator("#poll-toggle-btn").click()
    expect(app.locator("#poll-toggle-btn")).to_have_text("Start")


def test_transcript_clears_its_text(chat: ChatPage) -> None:
    app = opened(chat, "/transcript.transcribe {}")
    app.locator("#clear-btn").click()
    expect(app.get_by_text("Your speech will appear here")).to_be_visible()


def test_sheet_music_draws_the_notes(chat: ChatPage) -> None:
    app = opened(chat, '/sheet-music.play-sheet-music {"abcNotation": "X:1\\nT:A\\nK:C\\nCDEF|"}')
    app.get_by_title("Click to toggle play once/repeat.").click()
    expect(app.locator("svg").first).to_be_visible()


@pytest.mark.parametrize(
    "message",
    [
        '/shadertoy.render-shadertoy {"fragmentShader": "void mainImage(out vec4 c, in vec2 p) { c = vec4(1.); }"}',
        "/threejs.show_threejs_scene {}",
    ],
)
def test_graphics_example_fills_the_page_on_request(chat: ChatPage, message: str) -> None:
    app = opened(chat, message)
    expect(app.locator("canvas")).to_be_attached()
    app.get_by_title("Toggle fullscreen").press("Enter")  # by the user: the page allows it to no script
    expect(chat.page.locator(".app")).to_have_class("app app-fullscreen")
