"""Stills of apps: what shared links and exports show in place of an app (docs/apps.md)."""

import io
import json
import zipfile
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.user_client import wait_for_tools
from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.keyboard import Keyboard
from tests.e2e.web.sdk_app import DEMO

TEXT = "<b>hello</b> of the still"
NAME = "show.app.html"


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SystemProcess]:
    """The system of this file, in place of the one of all end-to-end tests."""
    config = tmp_path_factory.mktemp("stills") / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"demo": DEMO}}))
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(config)}) as running:
        wait_for_tools(running.url)
        yield running


def open_app(chat: ChatPage) -> None:
    chat.ask(f"/demo.show {json.dumps({'text': TEXT})}")
    expect(chat.page.locator("iframe[data-status=running]")).to_have_count(1)


def test_shared_link_to_an_app_shows_its_still_without_sign_in(chat: ChatPage, browser: Browser) -> None:
    open_app(chat)
    keys = Keyboard(chat.page)
    keys.press("button", "My Files")
    keys.press("summary", f"More actions for {NAME}")
    keys.press("button", f"Share {NAME}")
    dialog = chat.page.get_by_role("dialog")
    expect(dialog).to_contain_text("a still of this app")
    dialog.get_by_role("button", name="Create link").click()
    url = dialog.get_by_role("textbox", name="Link").input_value()

    with browser.new_context() as stranger:
        page = stranger.new_page()
        problems: list[str] = []
        page.on("console", lambda message: problems.append(message.text))
        page.goto(url)
        expect(page.get_by_role("heading", name="Show")).to_be_visible()
        expect(page.get_by_text("demo.show", exact=True)).to_be_visible()
        expect(page.locator("pre").first).to_contain_text(f'"text": "{TEXT}"')
        expect(page.locator("pre").last).to_contain_text(TEXT)
        assert page.locator("script, iframe, b").count() == 0
        assert page.evaluate("origin") == "null"
        assert page.locator("main").evaluate("element => getComputedStyle(element.parentElement).maxWidth") != "none"
        assert problems == []


def test_shared_chat_shows_a_card_of_its_app(chat: ChatPage, browser: Browser) -> None:
    open_app(chat)
    body = {"with_files": True}
    url = chat.user.request("POST", f"/api/sessions/{chat.session_id}/links", json=body).json()["url"]
    with browser.new_context() as stranger:
        page = stranger.new_page()
        page.goto(url)
        card = page.get_by_role("list", name="Files").get_by_role("listitem")
        expect(card).to_contain_text(f"{NAME} · app")
        expect(card.get_by_role("link")).to_have_count(0)
        expect(page.locator("iframe")).to_have_count(0)


def test_export_of_a_chat_has_the_still_of_its_app(chat: ChatPage) -> None:
    open_app(chat)
    page, keys = chat.page, Keyboard(chat.page)
    keys.press("button", "Actions for Show")
    with page.expect_download() as started:
        page.get_by_role("menuitem", name="Export with files").click()
    with zipfile.ZipFile(io.BytesIO(started.value.path().read_bytes())) as files:
        assert files.namelist() == ["chat.md", "chat.json", "files/show.still.html"]
        still = files.read("files/show.still.html").decode()
    assert "&lt;b&gt;hello&lt;/b&gt; of the still" in still
    assert "<script" not in still
