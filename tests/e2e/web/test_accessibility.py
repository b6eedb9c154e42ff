"""Accessibility: keyboard only, screen reader, light and dark mode, narrow screen."""

import re
from typing import Literal

from playwright.sync_api import APIResponse, Route, expect

from tests.e2e.web.accessibility import find_axe_violations, find_keyboard_issues
from tests.e2e.web.chat_page import MAX_TURN_MS, UNENDING_CALL, ChatPage
from tests.e2e.web.keyboard import Keyboard
from tests.fake_providers.replies import Answer
from tests.fake_providers.server import FakeEndpoint

VARIANTS: list[tuple[int, Literal["light", "dark"]]] = [(1280, "light"), (360, "dark")]
COPY_IMAGE = """async () => {
    const canvas = new OffscreenCanvas(2, 2);
    canvas.getContext('2d').fillRect(0, 0, 2, 2);
    const image = await canvas.convertToBlob({type: 'image/png'});
    await navigator.clipboard.write([new ClipboardItem({'image/png': image})]);
}"""
NARROW_BELOW = 760  # pixels; below, the sidebar is hidden
APPROVAL_CALL = '/approval.write {"name": "note.txt", "text": "hello"}'


def test_keyboard_writes_sends_and_stops_a_message(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    keys.go_to("textarea", "Message")
    keys.write("first", end="Shift+Enter")
    page.keyboard.insert_text("second")
    page.keyboard.press("Enter")
    expect(chat.turns.first).to_have_attribute("aria-busy", "false")
    assert chat.turns.first.locator(".user-message").inner_text() == "first\nsecond"

    keys.write(UNENDING_CALL, end="")  # the message box keeps the focus
    keys.press("button", "Send")
    expect(chat.turns).to_have_count(2)
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(chat.turns.last).to_have_attribute("aria-busy", "false")
    assert keys.focused() == ("button", "Send")


def test_keyboard_chooses_a_model_and_pastes_an_image(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate(COPY_IMAGE)
    keys.go_to("textarea", "Message")
    page.keyboard.press("Control+V")
    expect(chat.attached).to_have_text(re.compile(r"^Pasted .*\.png$"))
    with page.expect_response(lambda response: response.request.method == "PATCH"):
        keys.choose("Model", "anthropic")

    session = chat.user.request("GET", f"/api/sessions/{chat.session_id}").json()
    assert session["model"] == "anthropic"
    (file,) = chat.user.request("GET", "/api/files").json()["files"]
    assert file["mime"] == "image/png"


def test_keyboard_follows_a_link_in_an_answer(chat: ChatPage, endpoint: FakeEndpoint) -> None:
    url = f"{chat.user.url}/api/health"
    endpoint.replies = [Answer([f"It is [well]({url})."])]
    chat.open(chat.user.create_session(model="anthropic"))
    chat.ask("How is it?")

    with chat.page.context.expect_page() as opened:
        Keyboard(chat.page).press("a", "well", back=True)
    expect(opened.value).to_have_url(url)


def test_main_screens_have_no_accessibility_issues(chat: ChatPage) -> None:
    page = chat.page
    issues: dict[str, list[str]] = {}

    def check(screen: str, *, in_sidebar: bool = False) -> None:
        for width, color_scheme in VARIANTS:
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=color_scheme)
            if in_sidebar and width < NARROW_BELOW:
                page.get_by_role("button", name="Open sidebar").click()
            issues[f"{screen} {color_scheme}"] = find_axe_violations(page)
        if in_sidebar:
            page.get_by_role("navigation").get_by_role("button", name="Close sidebar").click()
            page.set_viewport_size({"width": VARIANTS[0][0], "height": 800})

    check("start")
    turn = chat.ask('/calculator.evaluate {"expression": "2+3"}\n/calculator.evaluate {"expression": "2+"}')
    turn.locator(".call summary").first.click()
    waiting = chat.send(APPROVAL_CALL)
    waiting.get_by_role("button", name="Allow").wait_for()
    check("conversation")
    page.set_viewport_size({"width": VARIANTS[0][0], "height": 800})
    issues["keyboard in conversation"] = find_keyboard_issues(page)
    waiting.get_by_role("button", name="Deny").click()
    expect(waiting).to_have_attribute("aria-busy", "false")
    check("sessions", in_sidebar=True)
    Keyboard(page).press("button", "Actions for Evaluate")
    expect(page.get_by_role("menuitem", name="Rename")).to_be_focused()
    issues["menu"] = find_axe_violations(page)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    issues["keyboard in dialog"] = find_keyboard_issues(page, "dialog")
    check("dialog")
    page.set_viewport_size({"width": VARIANTS[0][0], "height": 800})
    page.keyboard.press("Escape")
    chat.user.upload(None, "notes.txt", b"1")
    page.get_by_role("button", name="My Files").click()
    page.get_by_role("region", name="My Files").get_by_text("notes.txt").wait_for()
    check("files", in_sidebar=True)
    issues["keyboard in files"] = find_keyboard_issues(page)

    assert issues == {screen: [] for screen in issues}


_DELAY_TURN_RESPONSE = """() => {
    const originalFetch = window.fetch;
    const pause = ms => new Promise(done => setTimeout(done, ms));
    window.fetch = async (...args) => {
        const {method, url} = args[0] instanceof Request ? args[0] : new Request(...args);
        if (method === 'GET' && /sessions\\/[^/?]+(\\?|$)/.test(url)) await pause(500);
        const response = await originalFetch(...args);
        if (method === 'POST' && url.endsWith('/turns')) await pause(3000);
        return response;
    };
}"""


def test_approval_is_announced_if_events_arrive_before_the_post_response(chat: ChatPage) -> None:
    chat.page.evaluate(_DELAY_TURN_RESPONSE)
    chat.send(APPROVAL_CALL)
    expect(chat.page.get_by_label("Announcements")).to_contain_text("approval.write needs your approval")


_DRAW_TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def test_answer_is_announced_if_the_list_has_it_before_the_post_response(chat: ChatPage) -> None:
    lists: list[Route] = []
    posts: list[tuple[Route, APIResponse]] = []

    def hold_list(route: Route) -> None:
        if posts:
            route.continue_()
        else:
            lists.append(route)

    def hold_post(route: Route) -> None:
        response = route.fetch(max_retries=3)  # if the server has just closed the connection
        chat.user.wait_for_turn(route.request.url.split("/")[-2], response.json()["turn_id"])
        posts.append((route, response))
        for request in lists:
            request.continue_()

    chat.page.route(re.compile("newest_first"), hold_list)
    chat.page.route(re.compile("/turns$"), hold_post)
    turn = chat.send("hello")
    expect(turn).to_have_attribute("aria-busy", "false")
    chat.page.evaluate(_DRAW_TWO_FRAMES)  # the page loads the events of an ended turn when it comes into view
    for post, response in posts:
        post.fulfill(response=response)

    expect(chat.page.get_by_label("Announcements")).to_have_text("Answer complete.")


def test_screen_reader_announces_approval_and_completed_answer(chat: ChatPage) -> None:
    announcements = chat.page.get_by_label("Announcements")

    waiting = chat.send(APPROVAL_CALL)
    expect(announcements).to_contain_text("approval.write needs your approval")
    waiting.get_by_role("button", name="Allow").click()

    expect(announcements).to_contain_text("Answer complete", timeout=MAX_TURN_MS)
