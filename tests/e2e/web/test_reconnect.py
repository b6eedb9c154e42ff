"""Lost connections: the page shows a notice while offline, and misses no events."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.web.chat_page import MAX_TURN_MS, ChatPage
from tests.e2e.web.conftest import ChatPageFactory
from tests.e2e.web.dropping_proxy import DroppingProxy

DROPS = 20
DROP_INTERVAL_MS = 200  # drops some connections while they wait for events, others during a request
POLL_MS = 20
LINES = 60
CALL = f'/trial.log_lines {{"lines": {LINES}, "seconds": 4, "then_wait": 600}}'  # runs until it is stopped
TIMES = re.compile(r"\d+\.\d s|\d+ s|\d+ min \d+ s|\d\d:\d\d [AP]M")


def read_last_turn(chat: ChatPage) -> str:
    """Return the text of the last turn with its calls expanded, without durations and times of day."""
    turn = chat.turns.last
    for summary in turn.locator("summary").all():
        summary.click()
    return TIMES.sub("", turn.inner_text())


def test_dropped_connections_during_a_turn_leave_the_same_page(new_chat_page: ChatPageFactory) -> None:
    proxy = DroppingProxy()
    with proxy.running() as proxy_url:
        stable, dropped = new_chat_page(), new_chat_page(proxy={"server": proxy_url})
        stable.open()
        dropped.open()
        for chat in (stable, dropped):
            chat.send(CALL)
        expect(stable.turns.last.locator(".details")).to_contain_text("line 0", timeout=MAX_TURN_MS)
        for _ in range(DROPS):
            while not proxy.has_connections:
                dropped.page.wait_for_timeout(POLL_MS)
            dropped.page.wait_for_timeout(DROP_INTERVAL_MS)
            proxy.drop_all()
        for chat in (stable, dropped):
            expect(chat.turns.last.locator(".details")).to_contain_text(f"line {LINES - 1}")
            chat.page.get_by_role("button", name="Stop", exact=True).click()
            expect(chat.turns.last).to_have_attribute("aria-busy", "false")

        text = read_last_turn(dropped)

    assert text == read_last_turn(stable)
    assert [int(number) for number in re.findall(r"line (\d+)", text)] == list(range(LINES))


@pytest.mark.parametrize("has_socket", [True, False])
def test_notice_is_shown_while_the_connection_is_lost(chat: ChatPage, *, has_socket: bool) -> None:
    if not has_socket:
        chat.page.route("**/api/ws-ticket", lambda route: route.abort())
    chat.ask("hello")
    chat.send('/trial.log_lines {"lines": 500, "seconds": 250, "then_wait": 0}')  # runs until it is stopped
    notice, details = chat.page.locator(".connection-lost"), chat.turns.last.locator(".details")
    expect(details).to_contain_text("line 0", timeout=MAX_TURN_MS)

    chat.page.context.set_offline(True)
    chat.page.evaluate("dispatchEvent(new Event('offline'))")
    expect(notice).to_contain_text("Connection lost")
    chat.screenshot("connection-lost")
    chat.page.context.set_offline(False)

    expect(notice).to_have_count(0)
    expect(details).to_contain_text("line 19")
    chat.page.get_by_role("button", name="Stop", exact=True).click()
    expect(chat.turns.last).to_have_attribute("aria-busy", "false")
