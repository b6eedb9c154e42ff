"""The page gets the key of the local server from the printed address, and says what to do without it."""

from playwright.sync_api import Page, expect

from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import LOCAL_KEY
from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.conftest import ChatPageFactory

ADDRESS = f"/#key={LOCAL_KEY}"


def expect_request_for_the_key(page: Page) -> None:
    expect(page.locator(".starting")).to_contain_text("Open the address that `make run` printed")
    expect(page.get_by_role("textbox", name="Message")).to_have_count(0)


def open_with_key(chat: ChatPage) -> None:
    chat.page.goto(ADDRESS)
    chat.message_box.wait_for()


def test_key_stays_in_the_tab_and_leaves_the_address_bar(new_chat_page: ChatPageFactory, system: SystemProcess) -> None:
    chat = new_chat_page(has_key=False)
    page = chat.page
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))

    open_with_key(chat)
    expect(page).to_have_url(f"{system.url}/")
    page.reload()
    chat.message_box.wait_for()

    assert page.evaluate("sessionStorage.getItem('satchel.key')") == LOCAL_KEY
    assert LOCAL_KEY not in page.evaluate("JSON.stringify({...localStorage}) + document.cookie + location.href")
    assert [url for url in requested if LOCAL_KEY in url.partition("#")[0]] == []
    new_tab = page.context.new_page()
    new_tab.goto("/")
    expect_request_for_the_key(new_tab)


def test_address_pasted_into_a_tab_without_a_key_opens_the_chat(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(has_key=False)
    chat.page.goto("/")
    expect_request_for_the_key(chat.page)

    open_with_key(chat)  # changes only the hash, so the browser itself does not load the page again


def test_key_of_an_earlier_start_is_reported(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(has_key=False)
    chat.page.goto("/#key=key-of-an-earlier-start")

    expect_request_for_the_key(chat.page)


def test_open_page_reports_that_the_server_has_a_new_key(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(has_key=False)
    open_with_key(chat)
    chat.message_box.fill("hello")
    chat.page.route("**/api/**", lambda route: route.fulfill(status=401, json={"error_code": "E_UNAUTHORIZED"}))

    # Not in the message: a request of the page itself may have led to the request for the key already.
    chat.page.keyboard.press("Enter")

    expect_request_for_the_key(chat.page)
