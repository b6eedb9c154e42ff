"""Settings, shortcuts, the palette, the sidebar that can be hidden, and installation."""

import re
from datetime import UTC, datetime, timedelta

import httpx2
from playwright.sync_api import Route, expect

from tests.e2e.test_erasure import wait_for_erasure
from tests.e2e.web.accessibility import find_axe_violations, find_keyboard_issues
from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.conftest import ChatPageFactory
from tests.e2e.web.keyboard import Keyboard
from tests.fake_providers.replies import Answer
from tests.fake_providers.server import FakeEndpoint

WIDTHS = (360, 390, 768, 1280, 1440)


def test_settings_choose_theme_send_key_and_language(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    keys.press("button", "Settings", back=True)
    dialog = page.get_by_role("dialog", name="Settings")
    expect(dialog.get_by_text("calculator")).to_be_visible()
    assert find_keyboard_issues(page, "dialog") == []
    keys.choose("Send messages with", "Ctrl")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    assert keys.focused() == ("button", "Settings")

    chat.message_box.fill("one")
    chat.message_box.press("Enter")
    page.keyboard.type("two")
    expect(chat.message_box).to_have_value("one\ntwo")
    chat.message_box.press("Control+Enter")
    expect(chat.turns.locator(".user-message")).to_have_text("one\ntwo")

    page.get_by_role("button", name="Settings").click()
    dialog.get_by_label("Language").select_option("de")
    expect(page.get_by_role("button", name="Neuer Chat")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Neuer Chat")).to_be_visible()
    page.get_by_role("button", name="Einstellungen").click()
    expect(page.get_by_label("Nachrichten senden mit")).to_have_value("ctrl-enter")


def test_settings_fit_all_widths_in_both_themes_without_accessibility_issues(chat: ChatPage) -> None:
    page = chat.page
    page.get_by_role("button", name="Settings").click()
    dialog = page.get_by_role("dialog", name="Settings")
    dialog.get_by_text("calculator").wait_for()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert dialog.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")
            chat.screenshot(f"settings-{width}-{scheme}")
    assert find_axe_violations(page) == []


def test_palette_shows_times_of_chats_with_the_same_title(chat: ChatPage) -> None:
    page = chat.page
    for title in ("Budget", "Budget", "Budget of May"):
        chat.user.create_session(title=title)
    page.reload()
    listed = page.locator(".sessions .title")
    expect(listed).to_have_count(3)
    page.keyboard.press("Control+k")

    options = page.get_by_role("dialog").get_by_role("option").filter(has_text="Budget")
    expect(options).to_have_text(["Budget of May", *[re.compile(r"^Budget \d+:\d\d:\d\d [AP]M$")] * 2])
    assert [" ".join(text.split()) for text in options.all_inner_texts()] == listed.all_inner_texts()
    assert find_axe_violations(page) == []


def test_shortcuts_open_palette_list_and_new_chat_and_hide_the_sidebar(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    chat.user.create_session(title="Budget of May")
    page.reload()
    expect(page.get_by_role("button", name="Budget of May").first).to_be_visible()
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Search or run a command")
    expect(palette.get_by_role("combobox")).to_be_focused()
    chat.screenshot("palette")
    assert find_axe_violations(page) == []
    page.keyboard.type("budget")
    expect(palette.get_by_role("option")).to_have_text(["Budget of May"])
    expect(palette.get_by_role("option")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page).to_have_title("Budget of May - Satchel")
    expect(page.locator("dialog")).to_have_count(0)

    page.keyboard.press("Control+k")
    expect(palette.get_by_role("combobox")).to_be_focused()
    page.keyboard.type("calculator.evaluate")
    expect(palette.get_by_role("option").first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page.get_by_role("form", name=re.compile("^Tool "))).to_be_visible()
    page.keyboard.press("Escape")

    page.keyboard.press("Control+/")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("New chat")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    page.keyboard.press("Control+Shift+O")
    expect(page).to_have_title("Satchel")
    expect(chat.message_box).to_be_focused()

    sidebar = page.get_by_role("navigation", name="Chats and files")
    page.keyboard.press("Control+b")
    expect(sidebar).to_be_hidden()
    page.reload()
    expect(chat.message_box).to_be_visible()
    expect(sidebar).to_be_hidden()
    keys.press("button", "Show sidebar", back=True)
    expect(sidebar).to_be_visible()
    keys.press("button", "Hide sidebar", back=True)
    expect(sidebar).to_be_hidden()
    expect(page.get_by_role("button", name="Show sidebar")).to_be_focused()
    assert find_axe_violations(page) == []


def test_all_data_is_erased_only_after_the_word_is_typed(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    chat.user.upload(None, "notes.txt", b"Notes")
    chat.ask("hello")
    keys.press("button", "Settings", back=True)
    keys.press("button", "Erase all my data")
    dialog = page.get_by_role("dialog", name="Erase all my data?")
    expect(dialog).to_contain_text("1 file")
    assert find_axe_violations(page) == []
    confirm = dialog.get_by_role("button", name="Erase everything")
    expect(confirm).to_be_disabled()
    keys.go_to("input", "Type “erase” to confirm")
    page.keyboard.type("eras")
    page.keyboard.press("Enter")
    expect(confirm).to_be_disabled()
    page.keyboard.type("e")
    with page.expect_response(lambda response: response.request.method == "DELETE" and response.status == 202):
        page.keyboard.press("Enter")
    expect(page.get_by_text("Your data is being erased.")).to_be_visible()
    expect(chat.turns).to_have_count(0)
    wait_for_erasure(chat.user, "cleared_at")
    assert chat.user.request("GET", "/api/files").json()["files"] == []
    assert chat.user.request("GET", "/api/sessions").json()["sessions"] == []


def test_own_instructions_are_part_of_the_requests_of_new_chats(chat: ChatPage, endpoint: FakeEndpoint) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    keys.press("button", "Settings", back=True)
    keys.go_to("textarea", "Your instructions for all new chats")
    page.keyboard.type("Answer in rhymes.")
    with page.expect_response(lambda response: response.request.method == "PUT" and response.status == 204):
        keys.press("button", "Save")
    page.keyboard.press("Escape")
    endpoint.replies = [Answer(["Roses are red."])]
    chat.open(chat.user.create_session(model="anthropic"))
    chat.ask("How is it?")
    assert "Answer in rhymes." in str(endpoint.requests[-1])
    page.reload()
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_label("Your instructions for all new chats")).to_have_value("Answer in rhymes.")


def test_personal_token_is_shown_once_listed_used_and_revoked(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    dialog = page.get_by_role("dialog", name="Settings")
    for name in ("Oldest", "Earlier"):
        assert chat.user.request("POST", "/api/me/tokens", json={"name": name, "ttl_days": 7}).is_success
    with chat.delayed_responses("GET", "/api/me/tokens"):
        keys.press("button", "Settings", back=True)
        keys.go_to("input", "For which program?")
        page.keyboard.type("Open WebUI")
        keys.choose("Valid for", "30")
        keys.press("button", "Create token")
        text = dialog.get_by_label("New token").input_value()
    tokens = dialog.get_by_role("list", name="Personal tokens").get_by_role("listitem")
    token = tokens.filter(has_text="Open WebUI")
    expect(tokens).to_contain_text(["Open WebUIExpires", "EarlierExpires", "OldestExpires"])
    expect(token).to_contain_text("Never used")
    assert find_axe_violations(page) == []
    chat.screenshot("personal-tokens")
    dialog.get_by_role("button", name="Revoke Oldest").click()
    expect(tokens).to_contain_text(["Open WebUIExpires", "EarlierExpires"])
    expect(dialog.get_by_label("New token")).to_have_value(text)
    headers = {"Authorization": f"Bearer {text}"}
    address = f"{chat.user.url}/api/by-token/api/me"
    assert httpx2.get(address, headers=headers, timeout=60).json()["user"] == chat.user.name

    page.reload()
    page.get_by_role("button", name="Settings").click()
    expect(token).to_contain_text("Last used")
    expect(dialog.get_by_label("New token")).to_have_count(0)
    keys.press("button", "Revoke Open WebUI")
    expect(tokens).to_contain_text(["EarlierExpires"])
    assert httpx2.get(address, headers=headers, timeout=60).status_code == httpx2.codes.UNAUTHORIZED


def test_new_personal_token_is_shown_if_the_list_of_tokens_cannot_be_loaded(chat: ChatPage) -> None:
    page = chat.page

    def refuse_the_list(route: Route) -> None:
        if route.request.method == "GET":
            route.fulfill(status=403, json={})
        else:
            route.fallback()

    page.route("**/api/me/tokens", refuse_the_list)
    page.get_by_role("button", name="Settings").click()
    dialog = page.get_by_role("dialog", name="Settings")
    expect(dialog.locator(".error-message")).to_be_visible()
    dialog.get_by_label("For which program?").fill("Open WebUI")
    dialog.get_by_role("button", name="Create token").click()
    expect(dialog.get_by_label("New token")).to_be_visible()
    expect(dialog.get_by_role("list", name="Personal tokens")).to_contain_text("Open WebUI")


def test_page_can_be_installed(chat: ChatPage) -> None:
    page = chat.page
    devtools = page.context.new_cdp_session(page)
    manifest = devtools.send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert manifest["url"].endswith("/manifest.webmanifest")
    sizes = page.evaluate(
        """async manifest => Promise.all(manifest.icons.filter(icon => icon.type === 'image/png').map(async icon => {
            const image = await createImageBitmap(await (await fetch(icon.src)).blob());
            return [icon.sizes, `${image.width}x${image.height}`];
        }))""",
        page.evaluate("async () => (await fetch('/manifest.webmanifest')).json()"),
    )
    assert sizes == [[size, size] for size in ("192x192", "512x512", "512x512")]


def test_targets_are_large_enough_for_fingers_on_a_touch_screen(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    chat.open()
    chat.page.get_by_role("button", name="Open sidebar").click()
    small = chat.page.evaluate(
        """() => [...document.querySelectorAll('button, select')]
            .filter(element => element.checkVisibility({visibilityProperty: true}) && element.offsetHeight < 44)
            .map(element => element.textContent || element.ariaLabel)"""
    )
    assert small == []


_RECORD_NOTIFICATIONS = """() => {
    window.shown = [];
    window.Notification = class {
        static permission = 'default';
        static async requestPermission() {
            return (window.Notification.permission = window.nextPermission);
        }
        constructor(title, {body}) { window.shown.push(`${title}: ${body}`); }
    };
    Object.defineProperty(document, 'hidden', {get: () => window.isHidden ?? false});
}"""


def test_end_of_a_long_answer_is_notified_once_the_user_and_the_browser_allow_it(
    new_chat_page: ChatPageFactory,
) -> None:
    chat = new_chat_page(shared=False)  # the clock is that of a whole profile, also in later tests
    page = chat.page
    page.add_init_script(f"({_RECORD_NOTIFICATIONS})()")
    time = datetime.now(UTC)
    page.clock.set_fixed_time(time)  # so that a turn is as long as the test says
    chat.open()

    def end_a_turn(seconds: int) -> None:
        nonlocal time
        turn = chat.send('/trial.wait {"seconds": 60}')
        expect(turn.locator(".call.running")).to_be_visible()
        time += timedelta(seconds=seconds)
        page.clock.set_fixed_time(time)
        page.get_by_role("button", name="Stop", exact=True).click()
        expect(turn).to_have_attribute("aria-busy", "false")
        expect(page).not_to_have_title(re.compile("^…"))  # set just before the notification

    page.evaluate("window.isHidden = true")
    end_a_turn(30)
    assert page.evaluate("window.shown") == []

    page.evaluate("window.nextPermission = 'granted'")
    page.get_by_role("button", name="Settings").click()
    switch = page.get_by_label("Notify me when a long answer is complete")
    switch.click()  # not check(): the box is checked a moment later
    expect(switch).to_be_checked()
    page.keyboard.press("Escape")
    end_a_turn(1)
    assert page.evaluate("window.shown") == []
    end_a_turn(30)
    assert page.evaluate("window.shown") == ["The answer is complete: Wait 60"]
    page.evaluate("window.isHidden = false")
    end_a_turn(30)
    assert len(page.evaluate("window.shown")) == 1


def test_switch_for_notifications_says_if_the_browser_blocks_them(chat: ChatPage) -> None:
    page = chat.page
    page.add_init_script(f"({_RECORD_NOTIFICATIONS})()")
    page.reload()
    page.evaluate("window.nextPermission = 'denied'")
    page.get_by_role("button", name="Settings").click()
    switch = page.get_by_role("checkbox", name="Notify me when a long answer is complete")
    switch.click()
    expect(page.get_by_text("Blocked by the browser. To allow them, click the icon before")).to_be_visible()
    expect(switch).not_to_be_checked()
    expect(switch).to_be_disabled()
