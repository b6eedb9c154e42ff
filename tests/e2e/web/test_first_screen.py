"""From the empty page to a report without writing JSON: cards, the palette, forms of tools, and tools on or off."""

import re

from playwright.sync_api import Route, expect

from tests.e2e.web.accessibility import find_axe_violations
from tests.e2e.web.chat_page import MAX_TURN_MS, ChatPage, wait_for
from tests.e2e.web.conftest import ChatPageFactory
from tests.e2e.web.keyboard import Keyboard

CSV = b"region,units\nnorth,3\nsouth,4\nnorth,5\n"


def test_report_of_a_csv_opens_in_four_actions(chat: ChatPage) -> None:
    page = chat.page
    chat.drop_file("sales.csv", CSV)  # 1
    expect(chat.attached).to_have_text("sales.csv")
    page.keyboard.type("/summarise")  # 2: the caret is in the box
    option = page.get_by_role("option", name="/report.summarise")
    expect(option).to_be_visible()
    option.click()  # 3
    form = page.get_by_role("form", name=re.compile("^Tool "))
    expect(form.get_by_label("filename (required)")).to_have_value("sales.csv")
    chat.screenshot("tool-form")
    assert find_axe_violations(page) == []
    form.get_by_role("button", name="Run").click()  # 4

    tab = page.get_by_role("tab", name="sales_report.html")
    expect(tab).to_have_attribute("aria-selected", "true", timeout=MAX_TURN_MS)
    expect(chat.turns).to_have_count(1)
    expect(chat.message_box).to_be_focused()


def test_first_screen_has_cards_and_recent_files(chat: ChatPage) -> None:
    page = chat.page
    chat.user.upload(None, "notes.txt", b"Notes")
    page.reload()
    page.get_by_role("button", name="Attach notes.txt").click()
    expect(chat.attached).to_have_text("notes.txt")
    cards = page.get_by_role("group", name="Tools to try").get_by_role("button")
    expect(cards).to_have_count(4)
    titles = cards.locator("strong").all_inner_texts()
    assert len(set(titles)) == len(titles)
    assert all(": " in title for title in titles)
    chat.screenshot("first-screen")
    assert find_axe_violations(page) == []
    cards.first.click()
    form = page.get_by_role("form", name=re.compile("^Tool "))
    expect(form.locator(":focus")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(form).to_have_count(0)
    expect(chat.message_box).to_be_focused()


def test_recent_files_do_not_move_when_the_tools_arrive_late(chat: ChatPage) -> None:
    chat.user.upload(None, "notes.txt", b"Notes")
    attach = chat.page.get_by_role("button", name="Attach notes.txt")
    chat.page.get_by_role("group", name="Tools to try").wait_for()  # the page before the reload has read the list
    with chat.delayed_responses("GET", "/api/tools"):
        with chat.page.expect_response(re.compile(r"/api/files\?limit=")):
            chat.page.reload()
        chat.draw()
        expect(attach).to_have_count(0)  # a click could miss it, or hit a card

    expect(attach).to_be_visible()
    assert chat.page.get_by_role("group", name="Tools to try").is_visible()


def test_tools_are_switched_off_for_a_chat_and_stay_off_after_a_reload(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    keys.press("button", "Tools", back=True)
    tools = page.get_by_role("region", name="Tools")
    tools.locator("summary").filter(has_text="calculator").click()
    tools.get_by_label("Use calculator.evaluate in this chat").uncheck()
    turn = chat.ask('/calculator.evaluate {"expression": "2+3"}')
    expect(turn.locator(".call")).to_have_class("call failed")

    page.reload()
    keys.press("button", "Tools", back=True)
    tools.locator("summary").filter(has_text="calculator").click()
    switch = tools.get_by_label("Use calculator.evaluate in this chat")
    expect(switch).not_to_be_checked()
    chat.screenshot("tools-of-a-chat")
    switch.check()
    expect(chat.turns).to_have_count(1)  # the earlier turn is loaded
    turn = chat.ask('/calculator.evaluate {"expression": "2+3"}')
    expect(turn.locator(".call")).to_have_class("call done")

    keys.press("button", "Run calculator.evaluate", back=True)
    form = page.get_by_role("form", name=re.compile("^Tool "))
    expect(form.get_by_label("expression (required)")).to_be_focused()
    page.keyboard.type("6*7")
    form.get_by_role("button", name="Run").click()
    expect(chat.turns).to_have_count(3)
    expect(chat.turns.last).to_contain_text("42", timeout=MAX_TURN_MS)


def test_message_box_takes_the_focus_only_if_the_user_has_not_moved_it(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    expect(chat.message_box).to_be_focused()
    held: list[Route] = []
    page.route("**/assets/DropZone-*.js", lambda route: held.append(route))  # noqa: PLW0108  (Playwright cannot wrap a builtin)
    page.reload(wait_until="commit")
    keys.go_to("button", "My Files")
    wait_for(page, lambda: held, "the request for the script")
    held[0].continue_()
    chat.message_box.wait_for()
    expect(page.get_by_role("button", name="My Files")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="My Files")).to_be_visible()


def test_first_screen_of_a_phone_begins_at_its_top(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(viewport={"width": 390, "height": 740}, has_touch=True, is_mobile=True)
    chat.open()
    cards = chat.page.get_by_role("group", name="Tools to try").get_by_role("button")
    expect(cards).to_have_count(4)
    expect(cards.last).not_to_be_in_viewport(ratio=1)
    expect(chat.page.get_by_role("heading", name="How can I help?")).to_be_in_viewport(ratio=1)
