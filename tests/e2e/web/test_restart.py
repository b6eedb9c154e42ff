"""A chat with a file and a report is there again after Ctrl-C and a new start."""

import json
from pathlib import Path

from playwright.sync_api import Browser, ViewportSize, expect

from tests.e2e.system_process import STOP_SECONDS, free_port, running_system, serve_command
from tests.e2e.user_client import UserClient, run_user
from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.conftest import STORE_KEY, TIMEOUT_MS
from tests.e2e.web.test_canvas import find_visible_viewers


def test_open_page_shows_the_chat_again_after_a_restart_and_the_report_opens(browser: Browser, tmp_path: Path) -> None:
    command, settings = serve_command(port := free_port()), {"SATCHEL_DATA": str(tmp_path / "data")}
    user = UserClient(f"http://127.0.0.1:{port}", run_user("restart"))
    with browser.new_context(base_url=user.url, viewport=ViewportSize(width=1280, height=800)) as context:
        context.set_default_timeout(TIMEOUT_MS)
        context.add_init_script(STORE_KEY)
        context.add_init_script(f"localStorage.setItem('satchel.user', {json.dumps(user.name)})")
        chat = ChatPage(page := context.new_page(), user)
        with running_system(command, settings=settings) as system:
            user.wait_for_tools()
            chat.open()
            chat.drop_file("sales.csv", b"region,units\nnorth,3\nsouth,4\n")
            expect(chat.attached).to_have_text(["sales.csv"])
            chat.ask('/report.summarise {"filename": "sales.csv"}')
            expect(chat.turns.first.locator(".markdown")).to_be_visible()  # plain text until the renderer is loaded
            before = chat.turns.first.aria_snapshot()
            system.send("SIGINT")
            assert system.process.wait(STOP_SECONDS) == 0

        with running_system(command, settings=settings):
            page.reload()
            expect(chat.turns).to_have_count(1)
            expect(chat.turns.first).to_match_aria_snapshot(before)
            page.get_by_role("button", name="sales_report.html").first.click()
            report = find_visible_viewers(page).frame_locator("iframe").get_by_role("heading").first
            expect(report).to_contain_text("sales.csv")
            answer = chat.ask('/calculator.evaluate {"expression": "2+3"}')
            expect(answer.locator(".call")).to_have_count(1)
            chat.screenshot("restart")
