"""Sign-in with name and password on the page, at a server with accounts."""

import re
import uuid
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.e2e.password_system import PasswordSystem
from tests.e2e.user_client import SESSION_COOKIE, UserClient
from tests.e2e.web.accessibility import find_axe_violations, find_keyboard_issues
from tests.e2e.web.chat_page import ChatPage, wait_for
from tests.e2e.web.conftest import TIMEOUT_MS
from tests.fakes.accounts import PASSWORD

FILES = re.compile(r"/api/files\?")
_SESSIONS = """async () => {
    const response = await fetch("/api/sessions", {headers: {"X-Satchel-Client": "page"}});
    return (await response.json()).sessions;
}"""


@pytest.fixture
def chat(browser: Browser, password_system: PasswordSystem) -> Iterator[ChatPage]:
    """A page without a session, and a user with an account."""
    name = f"u{uuid.uuid4().hex[:12]}@example.com"
    with password_system.accounts() as accounts:
        accounts.add(name, PASSWORD)
    context = browser.new_context(base_url=password_system.url, reduced_motion="reduce")
    context.set_default_timeout(TIMEOUT_MS)
    yield ChatPage(context.new_page(), UserClient(password_system.url, name))
    context.close()


def sign_in(chat: ChatPage, password: str = PASSWORD) -> None:
    """Sign in with the keyboard. The name has the focus at first."""
    page = chat.page
    expect(page.get_by_label("User name")).to_be_focused()
    page.keyboard.type(chat.user.name)
    page.keyboard.press("Tab")
    page.keyboard.type(password)
    page.keyboard.press("Enter")


def expect_form(page: Page) -> None:
    expect(page.get_by_role("heading", name="Sign in to Satchel")).to_be_visible()
    expect(page.get_by_role("textbox", name="Message")).to_have_count(0)


def test_user_signs_in_chats_and_stays_signed_in_after_a_reload(chat: ChatPage) -> None:
    page = chat.page
    page.goto("/")
    expect_form(page)

    sign_in(chat)
    chat.message_box.wait_for()
    expect(page.get_by_text(chat.user.name, exact=True)).to_be_visible()
    expect(chat.ask("hello")).to_contain_text("hello")
    page.reload()

    expect(chat.turns).to_have_count(1)
    expect(page.get_by_text(chat.user.name, exact=True)).to_be_visible()
    assert page.evaluate("JSON.stringify({...localStorage, ...sessionStorage}) + document.cookie").find(PASSWORD) == -1
    assert page.evaluate("document.cookie") == ""  # no script can read the session


def test_wrong_password_is_announced_and_can_be_corrected(chat: ChatPage) -> None:
    page = chat.page
    page.goto("/")
    sign_in(chat, "a wrong password")

    expect(page.get_by_role("alert")).to_have_text("The name or the password is wrong.")
    expect(page.get_by_label("Password")).to_be_focused()
    assert page.context.cookies() == []
    page.keyboard.type(PASSWORD)  # replaces the selected password
    page.keyboard.press("Enter")
    chat.message_box.wait_for()


def test_sign_out_ends_the_session_of_all_tabs(chat: ChatPage) -> None:
    page = chat.page
    page.goto("/")
    sign_in(chat)
    chat.message_box.wait_for()
    (cookie,) = page.context.cookies()
    other = ChatPage(page.context.new_page(), chat.user)
    other.open()
    other.message_box.fill("hello")

    page.get_by_role("button", name="Sign out").click()
    expect_form(page)
    assert page.context.cookies() == []
    # Not in the message: a request of the page itself may have led to the form already.
    other.page.keyboard.press("Enter")

    expect_form(other.page)
    stolen = UserClient(chat.user.url, chat.user.name, session=cookie["value"])
    assert (cookie["name"], stolen.request("GET", "/api/me").status_code) == (SESSION_COOKIE, 401)


def test_changed_password_leads_the_open_page_to_the_form(chat: ChatPage, password_system: PasswordSystem) -> None:
    chat.page.goto("/")
    sign_in(chat)
    chat.message_box.wait_for()
    chat.message_box.fill("hello")
    with password_system.accounts() as accounts:
        accounts.set_password(chat.user.name, "another password")

    # Not in the message: a request of the page itself may have led to the form already.
    chat.page.keyboard.press("Enter")

    expect_form(chat.page)
    sign_in(chat, "another password")
    chat.message_box.wait_for()


def test_late_refusal_of_an_earlier_session_does_not_end_the_new_one(
    chat: ChatPage, password_system: PasswordSystem
) -> None:
    page = chat.page
    held: list[Route] = []

    def hold(route: Route) -> None:
        if held:
            route.fallback()
        else:
            held.append(route)

    page.goto("/")
    sign_in(chat)
    chat.message_box.wait_for()
    page.route(FILES, hold)
    page.get_by_role("button", name="My Files").click()
    wait_for(page, lambda: held, "the request for the files")
    chat.message_box.fill("hello")
    with password_system.accounts() as accounts:
        accounts.set_password(chat.user.name, "another password")
    page.keyboard.press("Enter")  # or a request of the page itself has led to the form already
    expect_form(page)
    sign_in(chat, "another password")
    chat.message_box.wait_for()

    with page.expect_response(held[0].request.url):
        held[0].fulfill(status=401, json={"error_code": "E_UNAUTHORIZED"})
    chat.draw()
    expect(chat.message_box).to_be_visible()


def test_page_of_another_origin_can_do_nothing_with_the_cookie(chat: ChatPage) -> None:
    """Another port of the same host name is the same site, so the browser sends the cookie with its requests."""
    page = chat.page
    page.goto("/")
    sign_in(chat)
    chat.message_box.wait_for()
    url = chat.user.url
    page.route("http://127.0.0.1:9/**", lambda route: route.fulfill(body="<h1>evil</h1>", content_type="text/html"))
    page.goto("http://127.0.0.1:9/")
    page.evaluate(
        """async (url) => {
            const body = new URLSearchParams({user: "mallory", password: "x"});
            const headers = {"X-Satchel-Client": "page"};
            for (const path of ["/api/sessions", "/auth/sign-out", "/auth/sign-in"]) {
                for (const options of [{mode: "no-cors", body}, {headers}]) {
                    await fetch(url + path, {method: "POST", credentials: "include", ...options}).catch(() => null);
                }
            }
        }""",
        url,
    )
    socket_closed = page.evaluate(
        """(url) => new Promise((resolve) => {
            const socket = new WebSocket(url.replace("http", "ws") + "/ws?ticket=x");
            socket.onclose = () => resolve(true);
            socket.onopen = () => resolve(false);
        })""",
        url,
    )

    with page.expect_response(f"{url}/auth/sign-out") as response:
        page.evaluate(
            """(url) => {
                document.body.innerHTML = `<form method="post" action="${url}/auth/sign-out"></form>`;
                document.forms[0].submit();
            }""",
            url,
        )

    page.wait_for_url(f"{url}/auth/sign-out")  # the browser shows the refusal
    assert SESSION_COOKIE in response.value.request.all_headers()["cookie"]
    assert response.value.status == 403
    assert socket_closed
    page.goto(url)
    chat.message_box.wait_for()
    assert page.evaluate(_SESSIONS) == []


def test_form_has_no_accessibility_violations(chat: ChatPage) -> None:
    chat.page.goto("/")
    expect_form(chat.page)

    assert find_axe_violations(chat.page) + find_keyboard_issues(chat.page) == []
