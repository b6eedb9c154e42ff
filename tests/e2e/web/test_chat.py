"""Chats with tools: calls, approvals, progress and files are shown, and stay the same after a reload."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.e2e.web.accessibility import find_keyboard_issues
from tests.e2e.web.chat_page import MAX_TURN_MS, ChatPage
from tests.e2e.web.conftest import ChatPageFactory
from tests.e2e.web.keyboard import Keyboard
from tests.fake_providers.replies import Answer
from tests.fake_providers.server import FakeEndpoint

CSV = b"region,units\nnorth,3\nsouth,4\nnorth,5\n"
APPROVAL_CALL = '/approval.write {"name": "note.txt", "text": "hello", "capitals": false}'
HOSTILE = """<script>window.canary = 1</script> <img src=x onerror=window.canary=1> <svg onload=window.canary=1></svg>
<p style=position:fixed onclick=window.canary=1>press me</p> <form action=http://127.0.0.1:9/><input name=q></form>
<iframe srcdoc=now></iframe>

[a link](javascript:window.canary=1) ![a picture](http://127.0.0.1:9/x.png)"""


def test_page_loads_without_console_messages(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page()
    messages: list[str] = []
    chat.page.on("console", lambda message: messages.append(message.text))

    chat.open()

    chat.screenshot("start")
    assert messages == []


@pytest.mark.clause("v5:chat:links")
def test_answer_shows_the_call_and_a_button_per_artifact(chat: ChatPage) -> None:
    keys = Keyboard(chat.page)
    chat.ask("hello")  # creates the session for the file
    chat.user.upload(chat.session_id, "sales.csv", CSV)

    turn = chat.ask('/report.summarise {"filename": "sales.csv"}')

    call = turn.locator(".call")
    expect(call.locator("summary")).to_have_text(re.compile(r"report\.summarise\s*Done"))
    keys.press("summary", "report.summarise", back=True)
    expect(call.locator(".details pre").first).to_contain_text('"filename": "sales.csv"')
    expect(call.locator(".details pre").last).to_contain_text('"rows": 3')
    expect(turn.locator(".code-block", has_text='"rows": 3').last).to_contain_text("json")  # the answer without a model
    buttons = turn.locator("button.artifact-button")
    expect(buttons).to_have_text([re.compile("sales_report.html"), re.compile("sales_chart.png")])
    assert [button.get_attribute("data-artifact-type") for button in buttons.all()] == ["text/html", "image/png"]
    assert all(button.get_attribute("data-artifact-id") for button in buttons.all())
    keys.press("button", "sales_chart.png")
    expect(chat.page.get_by_label("Canvas", exact=True)).to_contain_text("sales_chart.png")
    chat.screenshot("report")


def test_reload_shows_the_same_chat(chat: ChatPage) -> None:
    chat.ask('/calculator.evaluate {"expression": "2+3"}\n/calculator.evaluate {"expression": "2+"}')
    turn = chat.send('/approval.write {"name": "note.txt", "text": "hello"}')
    turn.get_by_role("button", name="Allow").wait_for()
    turn.locator(".tool-label").wait_for()
    expect(chat.turns.first.locator(".markdown")).to_be_visible()  # plain text until the renderer is loaded
    before = chat.page.locator(".turns").aria_snapshot()

    chat.page.reload()
    chat.turns.nth(1).get_by_role("button", name="Allow").wait_for()
    expect(chat.turns.first.locator(".call")).to_have_count(2)
    chat.turns.nth(1).locator(".tool-label").wait_for()
    expect(chat.turns.first.locator(".markdown")).to_be_visible()

    assert without_countdowns(chat.page.locator(".turns").aria_snapshot()) == without_countdowns(before)
    chat.turns.nth(1).get_by_role("button", name="Deny").click()
    expect(chat.turns.nth(1)).to_have_attribute("aria-busy", "false")


def without_countdowns(snapshot: str) -> str:
    """Remove countdowns, which change between snapshots."""
    return re.sub(r"\d+ s left|denied in (\d+ min ?)?(\d+ s)?", "", snapshot)


def test_failed_call_shows_its_error_and_a_suggestion(chat: ChatPage) -> None:
    turn = chat.ask('/calculator.evaluate {"expresion": "2+3"}')

    expect(turn.locator(".call")).to_have_class("call failed")
    expect(turn.locator(".error-message")).to_contain_text("expression")
    expect(turn.locator(".error-message")).to_have_css("white-space", "pre-wrap")  # a traceback keeps its lines
    expect(turn.locator(".suggestion")).to_have_text("Correct the arguments and call the tool again")
    expect(turn.locator(".error-message code")).to_have_text("E_INVALID_ARGUMENTS")
    turn.locator(".call summary").click()
    expect(turn.locator(".call h4")).to_have_text(["Arguments", "About the result"])  # the error is not told again
    expect(turn.locator(".facts dt", has_text="reason")).to_have_count(0)
    expect(turn.locator(".turn-actions")).to_contain_text("Model: None (tool output only)")
    chat.screenshot("failed")


def test_arguments_can_be_changed_before_a_call_is_allowed(chat: ChatPage) -> None:
    keys = Keyboard(chat.page)
    turn = chat.send(APPROVAL_CALL)
    turn.get_by_role("button", name="Allow").wait_for()
    expect(turn.get_by_role("timer")).to_have_text(re.compile(r"^If you do not decide, the call is denied in \d+ s$"))
    keys.go_to("textarea", "text", back=True)
    keys.write("changed", end="")
    keys.press("input", "capitals", key="Space")
    chat.screenshot("approval")
    keys.press("button", "Allow")
    expect(turn).to_have_attribute("aria-busy", "false", timeout=MAX_TURN_MS)

    assert keys.focused()[0] == "summary"  # the form is gone; the focus moves to its call
    chat.page.keyboard.press("Enter")
    expect(turn.locator(".details pre").first).to_contain_text('"text": "changed"')
    expect(turn.locator(".details pre").first).to_contain_text('"capitals": true')
    expect(turn.locator("button.artifact-button")).to_have_count(1)

    denied = chat.send(APPROVAL_CALL)
    denied.get_by_role("button", name="Deny").wait_for()
    keys.press("button", "Deny", back=True)
    expect(denied.locator(".call")).to_have_class("call denied")


def test_tool_that_is_always_allowed_in_a_chat_asks_again_only_in_other_chats(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    first = chat.send(APPROVAL_CALL)
    first.get_by_role("button", name="Allow").wait_for()
    keys.press("input", "Always allow approval.write in this chat", key="Space", back=True)
    keys.press("button", "Allow")
    expect(first).to_have_attribute("aria-busy", "false", timeout=MAX_TURN_MS)
    again = chat.ask(APPROVAL_CALL)
    expect(again.locator(".call")).to_have_class("call done")

    page.keyboard.press("Control+Shift+O")
    expect(chat.turns).to_have_count(0)
    other = chat.send(APPROVAL_CALL)
    other.get_by_role("button", name="Deny").click()
    expect(other.locator(".call")).to_have_class("call denied")


_RECORD_NOTICES = """() => {
    window.notices = [];
    window.announced = [];
    new MutationObserver(() => {
        for (const [texts, selector] of [[notices, '.notice'], [announced, '[aria-label=Announcements]']]) {
            const text = document.querySelector(selector)?.textContent;
            if (text && text !== texts.at(-1)) texts.push(text);
        }
    }).observe(document.body, {childList: true, subtree: true, characterData: true});
}"""
"""Each notice is shown for some seconds only."""

_SAY_TIME_LEFT = "words => notices.filter(text => text.includes(words)).every(text => /\\d+ s left/.test(text))"


def test_slow_call_shows_progress_then_silence_notices_and_can_be_canceled(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    page.evaluate(_RECORD_NOTICES)
    turn = chat.send('/approval.report_steps {"steps": 4, "interval": 0.4, "silence": 60}')

    progress = turn.get_by_role("progressbar", name="Progress of approval.report_steps")
    expect(turn.locator(".progress")).to_contain_text("step 4 of 4", timeout=MAX_TURN_MS)
    assert float(progress.get_attribute("value") or 0) == 100
    chat.screenshot("progress")
    keys.go_to("button", "Cancel", back=True)  # the button stays while one notice replaces the other
    chat.screenshot("notice")
    for words in ("taking longer than expected", "Still processing", "will timeout in"):
        page.wait_for_function("words => notices.some(text => text.includes(words))", arg=words)
        page.wait_for_function("words => announced.some(text => text.includes(words))", arg=words)
        assert page.evaluate(_SAY_TIME_LEFT, words), words
    page.keyboard.press("Enter")

    expect(turn.locator(".call")).to_have_class("call stopped")
    expect(chat.page.get_by_role("button", name="Send")).to_be_visible()
    assert keys.focused()[0] == "summary"


def test_chats_are_listed_renamed_and_deleted_after_confirmation(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    titles = page.locator(".sessions .title")
    with chat.delayed_responses("GET", "/api/sessions"):
        page.reload()
        chat.ask("first chat")
    expect(titles).to_have_text(["first chat"])
    keys.press("button", "New chat")
    expect(chat.turns).to_have_count(0)
    chat.ask("second chat")
    expect(titles).to_have_text(["second chat", "first chat"])

    keys.press("button", "Actions for first chat")
    expect(page.get_by_role("menuitem", name="Rename")).to_be_focused()
    page.keyboard.press("Enter")
    assert keys.focused() == ("input", "Title")
    keys.write("Sales")
    expect(titles).to_have_text(["second chat", "Sales"])
    assert keys.focused() == ("button", "Sales")
    page.keyboard.press("Enter")
    expect(chat.turns.locator(".user-message")).to_have_text("first chat")

    keys.press("button", "Actions for Sales")
    expect(page.get_by_role("menuitem", name="Rename")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("will be deleted")
    chat.screenshot("delete-chat")
    keys.press("button", "Cancel")
    expect(page.locator("dialog")).to_have_count(0)  # a closed dialog loses its role shortly before it is removed
    expect(titles).to_have_count(2)
    assert keys.focused() == ("button", "Actions for Sales")
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="Rename")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    keys.press("button", "Delete chat")
    expect(titles).to_have_text(["second chat"])
    assert keys.focused()[1].endswith("second chat")

    chat.user.create_session(title="third chat")
    page.route("**/api/sessions", lambda route: route.continue_(url=f"{route.request.url}?limit=1"))
    page.reload()
    expect(titles).to_have_text(["third chat"])
    keys.press("button", "Show more")
    expect(titles).to_have_text(["third chat", "second chat"])


def test_switched_user_cannot_see_the_chats_of_the_first_user(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(signed_in=False)
    page = chat.page
    chat.open()
    chat.ask("my private chat")
    session_id = chat.session_id

    keys = Keyboard(page)
    keys.press("button", "Signed in as dev@example.com")
    keys.go_to("input", "Email address")
    keys.write("other@example.com", end="")
    keys.press("button", "Continue")

    page.get_by_role("button", name="Signed in as other@example.com").wait_for()
    expect(page.locator(".sessions .title")).to_have_count(0)
    page.goto(f"/#{session_id}")
    expect(page.locator(".toast")).to_contain_text("There is no such session")
    expect(chat.turns).to_have_count(0)


def test_narrow_dark_screen_fits_all_panels(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(viewport={"width": 360, "height": 740}, color_scheme="dark")
    chat.open()
    turn = chat.ask('/calculator.evaluate {"expression": "2+3"}')
    turn.locator("summary").click()
    chat.screenshot("narrow-dark")
    page, keys = chat.page, Keyboard(chat.page)
    keys.press("button", "Open sidebar", back=True)
    expect(page.get_by_role("button", name="New chat")).to_be_visible()
    assert keys.focused() == ("button", "Chats")
    chat.screenshot("narrow-dark-side")
    assert find_keyboard_issues(page) == []  # elements behind the sidebar cannot be focused
    keys.press("button", "Close sidebar")
    assert keys.focused() == ("button", "Open sidebar")

    chat.user.upload(None, "notes.txt", b"1")
    page.keyboard.press("Enter")
    keys.press("button", "My Files")
    keys.press("button", "notes.txt")
    expect(page.get_by_role("region", name="notes.txt")).to_be_in_viewport(ratio=1)  # the sidebar is closed
    assert keys.focused() == ("tab", "notes.txt")
    keys.press("button", "Back to chat", back=True)
    assert keys.focused() == ("textarea", "Message")  # without tool output there is no Canvas button

    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_hostile_answer_runs_no_scripts_and_sends_no_requests(chat: ChatPage, endpoint: FakeEndpoint) -> None:
    page = chat.page
    requested_hosts: set[str] = set()
    page.on("request", lambda request: requested_hosts.add(urlsplit(request.url).netloc))
    endpoint.replies = [Answer([HOSTILE])]
    chat.open(chat.user.create_session(model="anthropic"))

    turn = chat.ask("hello")

    expect(turn.locator(".markdown").get_by_role("link", name="a picture")).to_be_visible()
    turn.locator(".markdown").get_by_text("press me").click()
    assert page.evaluate("window.canary") is None
    assert page.url.startswith(chat.user.url)
    assert turn.locator("script, iframe, form, [style], [onclick], [onerror], [href^='javascript:']").count() == 0
    assert requested_hosts == {urlsplit(chat.user.url).netloc}
