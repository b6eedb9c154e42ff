"""The sidebar and the look of the page: chats by day, search of chats, tab title, theme."""

import re

from playwright.sync_api import expect

from tests.e2e.web.accessibility import find_axe_violations
from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.conftest import ChatPageFactory
from tests.e2e.web.keyboard import Keyboard
from tests.fake_providers.held_pieces import HoldPieces
from tests.fake_providers.replies import Answer
from tests.fake_providers.server import FakeEndpoint


def test_chats_are_grouped_by_day_and_searched_by_title(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    for title in ("Sales in May", "Budget", "sales in June"):
        chat.user.create_session(title=title)
    page.route("**/api/sessions", lambda route: route.continue_(url=f"{route.request.url}?limit=2"))
    page.reload()
    chats = page.get_by_role("region", name="Today").get_by_role("listitem")
    expect(chats).to_have_count(2)
    keys.go_to("input", "Search chats")
    page.keyboard.type("SALES")
    expect(chats.locator(".title")).to_have_text(["sales in June", "Sales in May"])
    chat.screenshot("chat-search")
    assert find_axe_violations(page) == []
    page.get_by_label("Search chats").fill("nothing")
    expect(page.get_by_text("No chat has these words.")).to_be_visible()


def test_chats_with_the_same_title_are_told_apart_by_their_time(chat: ChatPage) -> None:
    page = chat.page
    for title in ("Budget", "Sales", "Budget"):
        chat.user.create_session(title=title)
    page.reload()
    titles = page.get_by_role("region", name="Today").locator(".title")
    expect(titles).to_have_text([re.compile(r"^Budget \d+:\d\d"), "Sales", re.compile(r"^Budget \d+:\d\d")])
    expect(page.get_by_role("button", name=re.compile(r"^Actions for Budget \d+:\d\d"))).to_have_count(2)


def test_menu_of_each_chat_is_visible_on_a_touch_screen(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    chat.user.create_session(title="Budget")
    chat.user.create_session(title="Sales")
    chat.open()
    chat.page.get_by_role("button", name="Open sidebar").tap()
    menus = chat.page.get_by_role("button", name="Actions for")
    expect(menus).to_have_count(2)
    for menu in menus.all():
        expect(menu).to_have_css("opacity", "1")


def test_title_that_arrives_during_the_first_turn_is_shown_after_it(
    chat: ChatPage, endpoint: FakeEndpoint, hold_pieces: HoldPieces
) -> None:
    page = chat.page
    text = hold_pieces(["word "] * 8)
    endpoint.replies = [Answer(text)]
    page.get_by_role("combobox", name="Model").select_option("openai-chat")
    turn = chat.send("What do you know about the\nhistory of Bern?")
    text.release()
    expect(turn.locator(".answer-text")).to_contain_text("word")
    chats = page.get_by_role("region", name="Today").get_by_role("listitem")
    expect(chats.locator(".title")).to_have_text(["What do you know about the"])
    chat.user.request("PATCH", f"/api/sessions/{chat.session_id}", json={"title": "History of Bern"})
    text.release_all()
    expect(turn).to_have_attribute("aria-busy", "false")
    expect(chats.locator(".title")).to_have_text(["History of Bern"])
    expect(page.get_by_role("heading", level=1)).to_have_text("History of Bern")


def test_temporary_chat_is_in_no_list_and_search_and_can_be_deleted(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    keys.press("switch", "Temporary chat", key="Space", back=True)
    chat.ask("Secret plans")
    note = page.get_by_text("Temporary chat: it is in no list")
    expect(note).to_be_visible()
    expect(page.locator(".sessions li")).to_have_count(0)
    chat.screenshot("temporary-chat")
    assert find_axe_violations(page) == []
    page.reload()
    expect(chat.turns).to_have_count(1)
    expect(note).to_be_visible()
    page.get_by_label("Search chats").fill("secret")
    expect(page.get_by_text("No chat has these words.")).to_be_visible()
    page.get_by_label("Search chats").fill("")

    session_id = chat.session_id
    keys.press("button", "Delete chat")
    expect(chat.turns).to_have_count(0)
    expect(page.get_by_role("switch", name="Temporary chat")).not_to_be_checked()
    assert chat.user.request("GET", f"/api/sessions/{session_id}").status_code == 404
    chat.ask("Ordinary message")
    expect(page.locator(".sessions li")).to_have_count(1)
    expect(note).to_have_count(0)


def test_chats_are_found_by_words_of_their_messages(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    found = chat.user.create_session(title="Trip")
    chat.user.ask(found, "Which hotels are there in Münster?")
    chat.user.ask(chat.user.create_session(title="Budget"), "Costs")
    page.reload()
    keys.go_to("input", "Search chats")
    page.keyboard.type("munst hotel")
    chats = page.get_by_role("region", name="Today").get_by_role("listitem")
    expect(chats).to_have_count(1)
    expect(chats.locator(".snippet")).to_contain_text("Which hotels are there in Münster?")
    chat.screenshot("message-search")
    assert find_axe_violations(page) == []
    keys.press("button", "Trip")
    expect(chat.turns).to_have_count(1)
    page.get_by_label("Search chats").fill("munst")
    expect(chats).to_have_count(1)
    chat.user.request("DELETE", f"/api/conversations/{found}")
    page.get_by_label("Search chats").fill("munster")
    expect(page.get_by_text("No chat has these words.")).to_be_visible()


def test_tab_has_the_title_of_the_chat(chat: ChatPage) -> None:
    expect(chat.page).to_have_title("Satchel")
    turn = chat.send('/trial.wait {"seconds": 60}')
    expect(chat.page).to_have_title("… Wait 60 - Satchel")
    chat.message_box.press("Escape")
    expect(turn).to_have_attribute("aria-busy", "false")
    expect(chat.page).to_have_title("Wait 60 - Satchel")


def test_chosen_theme_is_kept(chat: ChatPage) -> None:
    page = chat.page
    background = "() => getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(background)
    Keyboard(page).press("button", "Settings", back=True)
    Keyboard(page).choose("Theme", "Dark theme")
    dark = page.evaluate(background)
    assert dark != light
    page.reload()
    expect(chat.message_box).to_be_visible()
    assert page.evaluate(background) == dark
    assert find_axe_violations(page) == []
    page.emulate_media(color_scheme="dark")
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Theme").select_option("light")
    assert page.evaluate(background) == light


def test_chats_are_pinned_and_archived(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    for title in ("Old plan", "Budget"):
        chat.user.create_session(title=title)
    page.reload()

    def choose(title: str, item: str) -> None:
        keys.press("button", f"Actions for {title}")
        expect(page.get_by_role("menuitem", name="Rename")).to_be_focused()
        page.get_by_role("menuitem", name=item, exact=True).click()

    choose("Old plan", "Pin")
    pinned = page.get_by_role("region", name="Pinned")
    expect(pinned.locator(".title")).to_have_text(["Old plan"])
    choose("Budget", "Move to the archive")
    expect(page.locator(".sessions .title")).to_have_text(["Old plan"])
    page.reload()
    expect(page.locator(".sessions .title")).to_have_text(["Old plan"])
    assert find_axe_violations(page) == []
    keys.press("button", "Archive")
    expect(page.locator(".sessions .title")).to_have_text(["Budget"])
    chat.screenshot("archive")
    choose("Budget", "Move out of the archive")
    expect(page.locator(".sessions .title")).to_have_count(0)
    keys.press("button", "Archive", back=True)
    choose("Old plan", "Unpin")
    expect(pinned).to_have_count(0)
    expect(page.locator(".sessions .title")).to_have_text(["Budget", "Old plan"])
