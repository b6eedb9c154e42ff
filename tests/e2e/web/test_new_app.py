"""The app that `satchel new-server --app` makes, without a change."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from local.cli.new_server import create_server
from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.user_client import wait_for_tools
from tests.e2e.web.chat_page import ChatPage

SATCHEL = str(Path(sys.executable).with_name("satchel"))


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a server with an app, and return its configuration."""
    path = tmp_path_factory.mktemp("new") / "mcp.json"
    assert create_server("words", path, app=True) == 0
    return path


@pytest.fixture(scope="module")
def system(config: Path) -> Iterator[SystemProcess]:
    """The system of this file, with the new server."""
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(config)}) as running:
        wait_for_tools(running.url)
        yield running


def test_new_app_shows_its_result_and_calls_its_tool(chat: ChatPage) -> None:
    chat.ask('/words.count_words {"text": "one two"}')
    frame = chat.page.locator("iframe[data-status=running]")
    expect(frame).to_have_count(1)
    app = chat.page.frame_locator("iframe[data-status=running]").frame_locator("iframe")
    expect(app.get_by_role("status")).to_have_text("1 lines, 2 words")
    app.get_by_label("Text").fill("three more words\nhere")
    app.get_by_role("button", name="Count").click()
    expect(app.get_by_role("status")).to_have_text("2 lines, 4 words")


def test_new_app_has_no_faults(config: Path) -> None:
    command = [SATCHEL, "lint", "--json", "--server", "python main.py", "--tool", "count_words"]
    arguments = ["--args", json.dumps({"text": "a b"}), "--cwd", str(config.parent / "words")]
    run = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)  # noqa: S603  (our own program)
    assert (run.returncode, json.loads(run.stdout)["findings"]) == (0, [])
