"""A connection that is cut loses nothing: who looks on sees the same in the end, and is told in between."""

import re

from playwright.sync_api import expect

from tests.e2e.web.conftest import Visitor
from tests.e2e.web.cutting_proxy import CuttingProxy
from tests.e2e.web.visit import Visit

CUTS = 20
LIVES_MS = 200  # a connection, until it is cut: some come to listen, some break in a request
LOOK_MS = 20
LINES = 60
TURN = f'/trial.chatter {{"lines": {LINES}, "seconds": 4, "linger": 100}}'  # goes on until it is stopped
TIMES = re.compile(r"\d+\.\d s|\d+ s|\d+ min \d+ s")


def what_is_seen(visit: Visit) -> str:
    """The whole last turn with its calls opened, but how long they took."""
    turn = visit.turns.last
    for summary in turn.locator("summary").all():
        summary.click()
    return TIMES.sub("", turn.inner_text())


def test_twenty_cuts_during_a_turn_leave_the_screen_of_an_uncut_run(visitor: Visitor) -> None:
    proxy = CuttingProxy()
    with proxy.running() as address:
        uncut, cut = visitor(), visitor(proxy={"server": address})
        uncut.go_on()
        cut.go_on()
        for visit in (uncut, cut):
            visit.send(TURN)
        expect(uncut.turns.last.locator(".details")).to_contain_text("line 0")
        for _ in range(CUTS):
            while not proxy.has_connections:
                cut.page.wait_for_timeout(LOOK_MS)
            cut.page.wait_for_timeout(LIVES_MS)
            proxy.cut()
        for visit in (uncut, cut):
            expect(visit.turns.last.locator(".details")).to_contain_text(f"line {LINES - 1}")
            visit.page.get_by_role("button", name="Stop").click()
            expect(visit.turns.last).to_have_attribute("aria-busy", "false")

        seen = what_is_seen(cut)

    assert seen == what_is_seen(uncut)
    assert [int(number) for number in re.findall(r"line (\d+)", seen)] == list(range(LINES))


def test_that_the_connection_is_lost_is_said_and_taken_back(visit: Visit) -> None:
    visit.ask("hello")
    visit.send('/trial.chatter {"lines": 20, "seconds": 2}')
    lost = visit.page.locator(".connection-lost")

    visit.page.context.set_offline(True)
    visit.page.evaluate("dispatchEvent(new Event('offline'))")
    expect(lost).to_contain_text("Connection lost")
    visit.shoot("lost")
    visit.page.context.set_offline(False)

    expect(lost).to_have_count(0)
    expect(visit.turns.last).to_have_attribute("aria-busy", "false")
