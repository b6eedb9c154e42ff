"""Titles, icons and hints of tools, in the list of tools and in approvals."""

import re

from playwright.sync_api import expect

from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.conftest import ChatPageFactory
from tests.e2e.web.keyboard import Keyboard


def test_tools_are_listed_with_titles_hints_and_their_own_pictures_only(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(viewport={"width": 360, "height": 640})
    urls: list[str] = []
    chat.page.on("request", lambda request: urls.append(request.url))
    chat.open()
    keys = Keyboard(chat.page)
    keys.press("button", "Open sidebar")
    keys.press("button", "Tools")
    keys.press("summary", "Guide")
    tools = chat.page.get_by_role("region", name="Tools")

    look = tools.get_by_role("listitem").filter(has_text="Look up")
    expect(look).to_contain_text("Read-only")
    expect(look).to_contain_text("guide.look")
    assert look.locator("img").evaluate("picture => picture.decode().then(() => picture.naturalWidth > 0)")
    erase = tools.get_by_role("listitem").filter(has_text="Erase all")
    expect(erase).to_contain_text("Destructive")
    expect(erase.locator("img")).to_have_count(0)
    chat.screenshot("tools")
    expect(tools.get_by_role("heading", name="Tools")).to_be_visible()
    search = tools.get_by_label("Search tools")
    search.fill("guide LOOK")
    expect(tools.get_by_role("listitem")).to_have_count(1)
    expect(look).to_be_visible()
    expect(look).to_contain_text("Use in this chat")
    search.fill("no such tool")
    expect(tools.get_by_text("No tool has these words.")).to_be_visible()
    assert [url for url in urls if "icons.invalid" in url] == []
    assert chat.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_approval_shows_the_title_and_the_hints_beside_the_name(chat: ChatPage) -> None:
    turn = chat.send("/guide.erase {}")
    form = turn.get_by_role("form", name="Approval for guide.erase")

    expect(form).to_contain_text("Allow guide.erase to run?")
    expect(form).to_contain_text("Erase all")
    expect(form).to_contain_text("Destructive")
    Keyboard(chat.page).press("button", "Deny", back=True)
    expect(turn).to_have_attribute("aria-busy", "false")


def test_buttons_of_an_approval_do_not_move_when_the_hints_of_the_tool_arrive_late(chat: ChatPage) -> None:
    chat.page.get_by_role("group", name="Tools to try").wait_for()  # the first screen has read the list of tools
    with chat.delayed_responses("GET", "/api/tools"):
        with chat.page.expect_response(re.compile("/approval$")):
            turn = chat.send("/guide.erase {}")
        chat.draw()
        expect(turn.get_by_role("button", name="Allow")).to_have_count(0)  # a click could miss it, or hit another one

    expect(turn.get_by_role("button", name="Allow")).to_be_visible()
    assert "Destructive" in turn.inner_text()


def test_approval_is_asked_without_hints_if_the_list_of_tools_cannot_be_read(chat: ChatPage) -> None:
    chat.page.route(re.compile("/api/tools$"), lambda route: route.fulfill(status=503))
    turn = chat.send("/guide.erase {}")

    turn.get_by_role("button", name="Deny").click()
    expect(turn).to_have_attribute("aria-busy", "false")
