"""Pages that results of tools embed, as servers made with the library of MCP-UI send them (docs/apps.md)."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, expect

from tests.e2e.published_servers.installed import NODE
from tests.e2e.recording_site import RecordingSite, running_site
from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.user_client import wait_for_tools
from tests.e2e.web.chat_page import ChatPage

SERVER = Path(__file__).with_name("mcp_ui") / "server.cjs"
pytestmark = pytest.mark.skipif(
    "CI" not in os.environ and not (NODE / "@mcp-ui/server").exists(),
    reason="the library of MCP-UI is not installed (make test does that)",
)


@pytest.fixture(scope="module")
def site() -> Iterator[RecordingSite]:
    with running_site() as running:
        yield running


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, site: RecordingSite) -> Iterator[SystemProcess]:
    """The system of this file, in place of the one of all end-to-end tests."""
    entry = {
        "command": shutil.which("node"),
        "args": [str(SERVER)],
        "env": {"PACKAGES": str(NODE.parent), "SITE": site.origin},
    }
    config = tmp_path_factory.mktemp("mcp-ui") / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"ui": entry}}))
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(config)}) as running:
        wait_for_tools(running.url)
        yield running


def shown(chat: ChatPage, tool: str) -> FrameLocator:
    """Call a tool and return the page that it embeds."""
    chat.ask(f"/ui.{tool} {{}}")
    return chat.page.frame_locator(".app-frame").frame_locator("iframe")


@pytest.mark.parametrize("tool", ["page", "encoded_page"])
def test_embedded_page_runs_in_the_sandbox_of_apps(chat: ChatPage, site: RecordingSite, tool: str) -> None:
    site.requests.clear()
    page = shown(chat, tool)
    expect(page.get_by_role("heading", name="Embedded page")).to_be_visible()
    expect(page.locator("#outcome")).to_have_text("got nothing of null")
    expect(chat.page.locator(".app-bar")).to_contain_text("App of ui")
    expect(chat.page.get_by_role("dialog")).to_have_count(0)
    expect(chat.page.locator(".app-calls")).to_have_count(0)
    assert site.requests == []


def test_embedded_address_is_shown_without_access_to_the_page(chat: ChatPage, site: RecordingSite) -> None:
    site.requests.clear()
    page = shown(chat, "address").frame_locator("iframe")
    expect(page.get_by_role("heading", name="Live")).to_be_visible()
    assert [path for path, _ in site.requests if path != "/favicon.ico"] == ["/view?a=1&b=2"]
    page.get_by_role("button", name="Acknowledge").click()
    assert page.locator("body").evaluate("() => origin") == "null"
    assert chat.page.evaluate("location.pathname") == "/"
    assert chat.page.title() != "canary"


def test_embedded_page_opens_again_after_a_reload(chat: ChatPage) -> None:
    shown(chat, "page")
    chat.page.reload()
    chat.page.get_by_role("button", name="Canvas").click()
    page = chat.page.frame_locator(".app-frame").frame_locator("iframe")
    expect(page.get_by_role("heading", name="Embedded page")).to_be_visible()
