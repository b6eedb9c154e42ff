"""Hostile apps in the canvas: each gets nothing, changes nothing, and leaves the page usable (docs/apps.md)."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Dialog, Download, FrameLocator, Locator, Page, expect

from tests.e2e.system_process import SystemProcess, free_port, running_system, serve_command
from tests.e2e.user_client import UserClient, run_user, wait_for_tools
from tests.e2e.web.chat_page import MAX_TURN_MS, ChatPage, wait_for
from tests.e2e.web.conftest import ChatPageFactory
from tests.e2e.web.hostile.attacker import Attacker, listening_attacker

SERVER = Path(__file__).with_name("hostile") / "server.py"
OTHER_SERVER = Path(__file__).parents[2] / "integration/mcp/server_programs/app_server.py"
ATTACKS = re.findall(r'^  "([a-z-]+)": \{', (SERVER.parent / "attacks.js").read_text(), re.MULTILINE)
NOT_ALONE = {"victim", "declared", "other-apps", "shared-channels", "other-files", "approvals", "focus", "false-names"}
"""Apps with a test of their own."""

ASKING = {"links", "chat-messages", "downloads"}
MAX_HEIGHT = 4_000
_STATE = """() => ({
    url: location.href, title: document.title, cookies: document.cookie, local: {...localStorage},
    session: {...sessionStorage}, prototype: Reflect.ownKeys(Object.prototype).join(), polluted: String({}.polluted),
})"""

_WATCH_SIZES = """() => {
    const app = document.querySelector('.app-scroll');
    const around = [];
    for (let each = app.parentElement; each; each = each.parentElement) around.push(each);
    const watched = {heights: new Set(), overflows: new Set()};
    return new Promise(resolve => {
        let frames = 0;
        const check = () => {
            watched.heights.add(app.querySelector('.app-frame').clientHeight);
            for (const each of around) {
                each.scrollTo(1e9, 1e9);
                const by = Math.max(each.scrollTop, each.scrollLeft);
                if (by > 0) watched.overflows.add(`${each.className || each.localName} by ${by}`);
            }
            const done = ++frames === 60;
            if (!done) return requestAnimationFrame(check);
            resolve({...watched, heights: [...watched.heights], overflows: [...watched.overflows]});
        };
        check();
    });
}"""
"""Watch 60 frames of the page: the heights of the app, and what around it can be scrolled."""

_RECORD_OUTCOME = """name => {
    window.outcomes ??= {};
    new MutationObserver(() => {
        const log = document.querySelector('.pane:not([hidden]) .app-logs pre')?.textContent ?? '';
        const match = /ended (\\{.*?\\})$/m.exec(log);
        if (match) window.outcomes[name] ??= match[1];
    }).observe(document.body, {childList: true, subtree: true, characterData: true});
}"""


@pytest.fixture(scope="module")
def attacker() -> Iterator[Attacker]:
    with listening_attacker() as listening:
        yield listening


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, attacker: Attacker) -> Iterator[SystemProcess]:
    """The system of this file, in place of the one of all end-to-end tests."""
    port, apps_port = free_port(), free_port()
    arguments = [attacker.origin, attacker.udp, f"{port},{apps_port}", ",".join(ATTACKS)]
    servers = {
        "hostile": {"command": sys.executable, "args": [str(SERVER), *arguments]},
        "other": {"command": sys.executable, "args": [str(OTHER_SERVER)]},
    }
    config = tmp_path_factory.mktemp("hostile") / "mcp.json"
    config.write_text(json.dumps({"mcpServers": servers}))
    settings = {"SATCHEL_MCP_CONFIG": str(config), "SATCHEL_APPS_PORT": str(apps_port)}
    with running_system(serve_command(port), settings=settings) as running:
        wait_for_tools(running.url)
        yield running


@pytest.fixture(scope="module")
def user_name() -> str:
    """One user for all tests of this file, whose servers start once; each test has a page and a chat of its own."""
    return run_user("hostile")


@pytest.fixture
def chat(new_chat_page: ChatPageFactory) -> ChatPage:
    """Open a chat, so that the address and the title name it before the attack."""
    chat_page = new_chat_page()
    chat_page.open(chat_page.user.create_session(title="Attack"))
    expect(chat_page.page).to_have_title("Attack - Satchel")
    return chat_page


class Watch:
    """State of the page and of the attacker, which must not change while a hostile app runs."""

    def __init__(self, page: Page, attacker: Attacker) -> None:
        self._page = page
        self._attacker = attacker
        self.dialogs: list[str] = []
        self.downloads: list[str] = []
        page.on("dialog", self._record_dialog)
        page.on("download", self._record_download)
        self.state: Any = None
        self._pages = page.context.pages

    def _record_dialog(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def _record_download(self, download: Download) -> None:
        self.downloads.append(download.suggested_filename)

    def start(self) -> None:
        """Remember the state of the page."""
        self.state = self._page.evaluate(_STATE)
        self._attacker.received.clear()

    def check(self) -> None:
        """Raise AssertionError if something reached the attacker, or if the page has changed."""
        assert self._attacker.received == []
        assert self._page.evaluate(_STATE) == self.state
        assert self._page.context.pages == self._pages
        assert self.dialogs == []
        assert self.downloads == []


@pytest.fixture
def watch(chat: ChatPage, attacker: Attacker) -> Watch:
    return Watch(chat.page, attacker)


def logs(chat: ChatPage) -> Locator:
    return chat.page.locator(".pane:not([hidden]) .app-logs pre")


def open_app(chat: ChatPage, name: str, arguments: dict[str, Any] | None = None) -> None:
    """Call the tool of a hostile app, and wait until its frame is there."""
    chat.page.evaluate(_RECORD_OUTCOME, name)
    chat.ask(f"/hostile.{name} {json.dumps(arguments or {})}")


def outcome(chat: ChatPage, name: str) -> dict[str, str]:
    """Wait until the app has tried everything, and return what it got. Its last attempt may have removed the app.

    Each of up to twenty attempts may take a second.
    """
    closed = "document.body.textContent.includes('The app has closed.')"
    chat.page.wait_for_function(f"name => name in window.outcomes || {closed}", arg=name, timeout=MAX_TURN_MS)
    text: str | None = chat.page.evaluate("name => window.outcomes[name]", name)
    if text is None:
        assert re.findall(r"tries .*, (\d+) left", logs(chat).text_content() or "")[-1] == "0"
    got: dict[str, str] = json.loads(text or "{}")
    return got


def inner(chat: ChatPage) -> FrameLocator:
    return chat.page.frame_locator(".pane:not([hidden]) .app-frame").frame_locator("iframe")


def expect_usable(chat: ChatPage) -> None:
    """Send a message and close the canvas."""
    turn = chat.ask("hello")
    expect(turn).to_contain_text("hello")
    chat.page.get_by_role("button", name="Close canvas").click()
    expect(chat.page.locator("#canvas")).to_be_hidden()


@pytest.mark.parametrize("name", [name for name in ATTACKS if name not in NOT_ALONE | ASKING])
def test_hostile_app_gets_nothing_and_the_page_stays_usable(chat: ChatPage, watch: Watch, name: str) -> None:
    watch.start()
    open_app(chat, name)
    assert outcome(chat, name) == {}
    if name == "resizing":
        sizes = chat.page.evaluate(_WATCH_SIZES)
        assert 0 < max(sizes["heights"]) <= MAX_HEIGHT
        assert sizes["overflows"] == []
        expect(chat.message_box).to_be_in_viewport(ratio=1)
    if name == "covering":
        expect(chat.page.locator(".app")).to_have_class("app app-inline")
    expect_usable(chat)
    watch.check()


@pytest.mark.parametrize("name", sorted(ASKING))
def test_app_that_asks_without_end_is_denied_once_and_then_silent(chat: ChatPage, watch: Watch, name: str) -> None:
    watch.start()
    open_app(chat, name)
    dialog = chat.page.get_by_role("dialog")
    expect(dialog).to_contain_text("of hostile asks for this")
    assert outcome(chat, name) == {}
    dialog.get_by_role("button", name="Deny").click()
    expect(dialog).to_be_hidden()
    expect_usable(chat)
    expect(dialog).to_be_hidden()
    watch.check()


@pytest.mark.parametrize("name", ["other-apps", "shared-channels"])
def test_app_cannot_read_or_write_another_app(chat: ChatPage, watch: Watch, name: str) -> None:
    open_app(chat, "victim")
    expect(inner(chat).get_by_text("private text")).to_be_visible()
    expect(inner(chat).get_by_text("result of the tool")).to_be_attached()
    watch.start()
    open_app(chat, name)
    assert outcome(chat, name) == {}
    chat.page.get_by_role("tab", name="Victim").click()
    expect(inner(chat).get_by_text("private text")).to_be_visible()
    assert "FORGED" not in inner(chat).locator("body").inner_text()
    expect_usable(chat)
    watch.check()


def test_app_cannot_take_what_the_user_types(chat: ChatPage, watch: Watch) -> None:
    watch.start()
    chat.page.evaluate(_RECORD_OUTCOME, "focus")
    chat.send("/hostile.focus {}")
    written = "a message that the user writes while the app opens, and goes on to write afterwards"
    chat.message_box.press_sequentially(written, delay=30)
    assert outcome(chat, "focus") == {}
    chat.message_box.press_sequentially(written, delay=10)
    expect(chat.message_box).to_have_value(written + written)
    chat.message_box.fill("")
    assert "stolen" not in (logs(chat).text_content() or "")
    expect_usable(chat)
    watch.check()


def test_app_that_takes_the_focus_while_the_user_types_is_closed(chat: ChatPage, watch: Watch) -> None:
    """The wall that remains if an app finds a way to take the focus: here the test is that way."""
    watch.start()
    open_app(chat, "victim")
    expect(inner(chat).get_by_text("private text")).to_be_visible()
    chat.message_box.press_sequentially("abc")
    chat.page.evaluate("document.querySelector('.app-frame').focus()")
    expect(chat.page.get_by_text("The app took the keyboard while you were typing, and was closed.")).to_be_visible()
    expect_usable(chat)
    watch.check()


def test_app_cannot_answer_its_own_approval(chat: ChatPage, watch: Watch) -> None:
    watch.start()
    open_app(chat, "approvals")
    assert outcome(chat, "approvals") == {}
    approval = chat.page.locator(".app-calls").get_by_role("button", name="Allow")
    expect(approval).to_be_visible()
    watch.check()
    chat.page.locator(".app-calls").get_by_role("button", name="Deny").click()
    expect(chat.page.locator(".app-calls li")).to_have_text("destroy: failed")
    expect_usable(chat)
    watch.check()


def test_app_cannot_read_files_of_another_user(chat: ChatPage, watch: Watch, system: SystemProcess) -> None:
    other = UserClient(system.url, f"owner-{chat.user.name}")
    session_id = other.create_session()
    record = other.upload(session_id, "secret.txt", b"SECRET")
    link = other.request("GET", f"/api/files/{record['file_key']}").json()
    watch.start()
    names = ["secret.txt", record["file_key"], f"/tmp/{other.name}/secret.txt", f"../{other.name}/secret.txt"]
    names += [f"file:///tmp/{other.name}/secret.txt", f"{session_id}/secret.txt", str(link.get("key", "secret.txt"))]
    open_app(chat, "other-files", {"names": names})
    assert outcome(chat, "other-files") == {}
    expect(chat.page.locator(".app-calls li")).to_have_count(len(names), timeout=MAX_TURN_MS)
    expect_usable(chat)
    watch.check()


def test_dialog_names_the_configured_server_whatever_an_app_calls_itself(chat: ChatPage, watch: Watch) -> None:
    watch.start()
    open_app(chat, "false-names")
    dialog = chat.page.get_by_role("dialog", name="Send a message?")
    expect(dialog.locator("strong").last).to_have_text("hostile")
    title = dialog.locator("bdi")
    assert len(title.inner_text()) <= 80
    expect(dialog.locator("b")).to_have_count(0)
    dialog.get_by_role("button", name="Deny").click()
    expect_usable(chat)
    watch.check()


def test_attacker_hears_an_app_that_declares_its_domain(chat: ChatPage, attacker: Attacker) -> None:
    """The attacker listens: otherwise the other tests would show nothing."""
    open_app(chat, "declared")
    outcome(chat, "declared")
    wait_for(chat.page, lambda: "GET /declared" in attacker.received, "the request of the app")
