"""Everybody can use it: by keyboard alone, with a screen reader, in light and dark, on a narrow screen."""

from typing import Literal

from playwright.sync_api import expect

from tests.e2e.web.axe import grave_issues
from tests.e2e.web.keyboard import Keyboard
from tests.e2e.web.visit import Visit

LOOKS: list[tuple[int, Literal["light", "dark"]]] = [(1280, "light"), (360, "dark")]
BREAK = 760  # pixels; below, one thing is seen at a time
ASK_FIRST = '/asking.write {"name": "note.txt", "text": "hello"}'


def test_every_action_of_a_conversation_is_done_by_keyboard_alone(visit: Visit) -> None:
    page, keys = visit.page, Keyboard(visit.page)
    keys.go_to("textarea", "Message")
    keys.write("first matter")
    expect(visit.turns.first).to_have_attribute("aria-busy", "false")

    keys.write(ASK_FIRST)  # the focus has stayed where one writes
    page.get_by_role("button", name="Approve").wait_for()
    keys.go_to("textarea", "text", key="Shift+Tab")
    keys.write("by keyboard", end="")
    keys.press("button", "Approve")
    expect(visit.turns.last).to_have_attribute("aria-busy", "false")

    keys.go_to("summary", "asking.write", key="Shift+Tab")
    page.keyboard.press("Enter")
    expect(visit.turns.last.locator(".details")).to_contain_text("by keyboard")
    keys.press("button", "note.txt")
    expect(page.locator(".frame")).to_have_class("frame canvas-open")
    keys.press("button", "Canvas")
    expect(page.locator(".frame")).to_have_class("frame")

    keys.go_to("textarea", "Message")
    keys.write('/trial.wait {"seconds": 60}')
    expect(visit.turns).to_have_count(3)
    keys.press("button", "Stop")
    expect(visit.turns.last).to_have_attribute("aria-busy", "false")

    keys.press("button", "Rename first matter")
    keys.write("Sales")
    keys.press("button", "My Files")
    expect(page.get_by_role("region", name="My Files")).to_be_visible()
    keys.press("button", "Sessions")
    keys.press("button", "End Sales")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    keys.press("button", "New session")
    keys.go_to("textarea", "Message")
    keys.write("second matter")
    expect(visit.turns.first).to_have_attribute("aria-busy", "false")
    keys.press("button", "End Sales")
    keys.press("button", "End session")
    expect(page.locator(".sessions .title")).to_have_text(["second matter"])
    keys.press("button", "Signed in as")
    keys.write("")
    expect(page.get_by_role("button", name="Signed in as")).to_be_visible()


def test_axe_finds_no_serious_issue_on_any_main_screen_wide_and_light_narrow_and_dark(visit: Visit) -> None:
    page = visit.page
    found: dict[str, list[str]] = {}

    def look(screen: str, *, on_the_side: bool = False) -> None:
        for width, scheme in LOOKS:
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)
            if on_the_side and width < BREAK:
                page.get_by_role("button", name="Sessions and files").click()
            found[f"{screen} {scheme}"] = grave_issues(page)
        if on_the_side:
            page.get_by_role("navigation").get_by_role("button", name="Close").click()
            page.set_viewport_size({"width": LOOKS[0][0], "height": 800})

    look("start")
    turn = visit.ask('/calculator.evaluate {"expression": "2+3"}\n/calculator.evaluate {"expression": "2+"}')
    turn.locator("summary").first.click()
    waiting = visit.send(ASK_FIRST)
    waiting.get_by_role("button", name="Approve").wait_for()
    look("conversation")
    page.set_viewport_size({"width": LOOKS[0][0], "height": 800})
    waiting.get_by_role("button", name="Refuse").click()
    expect(waiting).to_have_attribute("aria-busy", "false")
    look("sessions", on_the_side=True)
    page.get_by_role("button", name="End /calculator").click()
    look("dialog")
    page.set_viewport_size({"width": LOOKS[0][0], "height": 800})
    page.keyboard.press("Escape")
    page.get_by_role("button", name="My Files").click()
    page.get_by_role("region", name="My Files").wait_for()
    look("files", on_the_side=True)

    assert found == {screen: [] for screen in found}


def test_what_happens_is_told_to_those_who_do_not_see_it(visit: Visit) -> None:
    news = visit.page.get_by_label("News")

    waiting = visit.send(ASK_FIRST)
    expect(news).to_contain_text("asking.write waits for your approval")
    waiting.get_by_role("button", name="Approve").click()

    expect(news).to_contain_text("The answer is there")
