"""Everything that a tool returns is visible: each file and version, dashboards, deferred files, problems and facts."""

import json
import re

from playwright.sync_api import Page, expect

from tests.e2e.recording_site import RecordingSite
from tests.e2e.web.accessibility import find_axe_violations
from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.keyboard import Keyboard

TABLE = """## Cities

| city | people |
|------|-------:|
| Rome | 2 |

<img src=x onerror="window.canary = 1"><script>window.canary = 1</script>"""


def call_lines(tool: str, *arguments: dict[str, str]) -> str:
    """Return a message that calls the tool once for each of the arguments."""
    return "\n".join(f"/{tool} {json.dumps(each)}" for each in arguments)


def expect_no_issues_on_a_narrow_dark_screen(page: Page, screenshot: str) -> None:
    """Check accessibility and that nothing is wider than 360 pixels, and restore the wide screen."""
    page.set_viewport_size({"width": 360, "height": 740})
    page.emulate_media(color_scheme="dark")
    assert find_axe_violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.screenshot(path=f"test-results/web/{screenshot}-narrow-dark.png")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(color_scheme="light")
    assert find_axe_violations(page) == []


def test_both_dashboards_of_a_turn_open_and_can_be_reopened(chat: ChatPage, dashboards: RecordingSite) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    boards = [{"url": f"{dashboards.origin}/board?{board}", "canvas_id": board} for board in ("north", "south")]
    turn = chat.ask(call_lines("samples.dashboard", *({**board, "persistence": "ephemeral"} for board in boards)))

    tabs = page.get_by_role("tab")
    expect(tabs).to_have_count(2)
    assert sorted(tabs.all_inner_texts()) == ["Monitor (north)", "Monitor (south)"]
    for _ in boards:
        page.locator("[role=tab][aria-selected=true]").focus()
        page.keyboard.press("Delete")
    expect(tabs).to_have_count(0)
    for board in ("north", "south"):
        turn.get_by_role("button", name=f"dashboard {board}").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".pane:visible iframe")).to_have_attribute("src", re.compile(f"{board}$"))
        expect(page.frame_locator(".pane:visible iframe").get_by_role("heading")).to_have_text("Live")
    chat.screenshot("two-dashboards")
    keys.go_to("tab", "Monitor (south)")


def test_markdown_results_are_rendered_without_scripts_and_json_is_not(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    source = json.dumps({"table": "| a | b |\n|---|---|"})
    turn = chat.ask(call_lines("samples.text_results", {"text": TABLE}, {"text": source}))
    rendered, plain = turn.locator(".call").all()

    rendered.locator("summary").click()
    expect(rendered.get_by_role("columnheader")).to_have_text(["city", "people"])
    expect(rendered.get_by_role("cell")).to_have_text(["Rome", "2"])
    expect(rendered.get_by_role("heading", name="Cities")).to_be_visible()
    assert rendered.locator(".markdown script, .markdown [onerror]").count() == 0
    assert page.evaluate("window.canary") is None
    chat.screenshot("markdown-results")
    expect_no_issues_on_a_narrow_dark_screen(page, "markdown-results")
    keys.press("button", "Show source", back=True)
    expect(rendered.locator("pre").last).to_have_text(TABLE)
    plain.locator("summary").click()
    expect(plain.locator("pre").last).to_have_text(source)
    expect(plain.locator(".markdown")).to_have_count(0)
