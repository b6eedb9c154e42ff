"""A chat is shared read-only by a link, which shows it without sign-in until it is revoked."""

from playwright.sync_api import expect

from tests.e2e.web.accessibility import find_axe_violations
from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.conftest import ChatPageFactory
from tests.e2e.web.keyboard import Keyboard


def share(chat: ChatPage, *, with_files: bool) -> str:
    """Create a link to the open chat by keyboard. Return its address; the dialog stays open."""
    page, keys = chat.page, Keyboard(chat.page)
    keys.press("button", "Actions for", back=True)
    expect(page.get_by_role("menuitem", name="Rename")).to_be_focused()
    page.get_by_role("menuitem", name="Share", exact=True).press("Enter")
    keys.choose("Expires after", "30")
    if with_files:
        keys.press("input", "Files can be downloaded", key="Space")
    keys.press("button", "Create link")
    expect(page.get_by_role("list", name="Active links").get_by_role("listitem")).to_have_count(1)
    return page.get_by_role("dialog").get_by_label("Link", exact=True).input_value()


def test_chat_is_shared_read_only_by_a_link_until_it_is_revoked(chat: ChatPage, new_chat_page: ChatPageFactory) -> None:
    page = chat.page
    chat.user.upload(None, "sales.csv", b"month,sales\nMay,3\n")
    chat.ask('/report.summarise {"filename": "sales.csv"}')
    url = share(chat, with_files=True)
    assert find_axe_violations(page) == []
    chat.screenshot("share-chat")
    viewer = new_chat_page(signed_in=False, has_key=False).page
    requests: list[str] = []
    viewer.on("request", lambda request: requests.append(request.url))

    viewer.goto(url)

    expect(viewer.locator(".user-message")).to_have_text('/report.summarise {"filename": "sales.csv"}')
    expect(viewer.get_by_role("list", name="Tools")).to_contain_text("report.summarise")
    expect(viewer.get_by_role("textbox")).to_have_count(0)
    expect(viewer.locator("meta[name=robots]")).to_have_attribute("content", "noindex, nofollow")
    assert find_axe_violations(viewer) == []
    viewer.screenshot(path="test-results/web/shared-chat.png")
    with viewer.expect_download() as download:
        viewer.get_by_role("list", name="Files").get_by_role("link").first.click()
    assert download.value.suggested_filename.endswith(".html")
    allowed = ("/api/shared-chat", "/api/files/download/")
    assert [url for url in requests if "/api/" in url and not any(path in url for path in allowed)] == []

    Keyboard(page).press("button", "Revoke link")
    expect(page.get_by_role("button", name="Revoke link")).to_have_count(0)
    viewer.reload()
    expect(viewer.get_by_text("There is no such chat, or the link has expired or was revoked.")).to_be_visible()


def test_shared_files_are_only_named_unless_they_are_shared(chat: ChatPage, new_chat_page: ChatPageFactory) -> None:
    chat.user.upload(None, "sales.csv", b"month,sales\nMay,3\n")
    chat.ask('/report.summarise {"filename": "sales.csv"}')
    url = share(chat, with_files=False)
    viewer = new_chat_page(signed_in=False, has_key=False, viewport={"width": 360, "height": 740}).page

    viewer.goto(url)

    files = viewer.get_by_role("list", name="Files")
    expect(files.get_by_role("listitem").first).to_contain_text("not shared")
    expect(files.get_by_role("link")).to_have_count(0)
    assert viewer.evaluate("document.documentElement.scrollWidth") == 360
