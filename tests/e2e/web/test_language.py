"""The languages of the page: the browser's, or the chosen one."""

from playwright.sync_api import expect

from tests.e2e.web.conftest import ChatPageFactory


def test_page_is_german_in_a_german_browser(new_chat_page: ChatPageFactory) -> None:
    chat_page = new_chat_page(locale="de-AT")
    chat_page.page.goto("/")
    expect(chat_page.page.get_by_role("button", name="Neuer Chat")).to_be_visible()
    expect(chat_page.page.get_by_role("textbox", name="Nachricht")).to_be_focused()
    assert chat_page.page.locator("html").get_attribute("lang") == "de"


def test_page_is_english_in_a_browser_without_a_known_language(new_chat_page: ChatPageFactory) -> None:
    chat_page = new_chat_page(locale="fi-FI")
    chat_page.open()
    assert chat_page.page.locator("html").get_attribute("lang") == "en"
