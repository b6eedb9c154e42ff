"""A conversation with tools: what they do is seen, opened, approved, stopped, and still there after a reload."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.e2e.web.conftest import Visitor
from tests.e2e.web.keyboard import Keyboard
from tests.e2e.web.reach import complaints
from tests.e2e.web.visit import Visit

CSV = b"region,units\nnorth,3\nsouth,4\nnorth,5\n"
ASK_FIRST = '/asking.write {"name": "note.txt", "text": "hello", "capitals": false}'
HOSTILE = """<script>window.canary = 1</script> <img src=x onerror=window.canary=1> <svg onload=window.canary=1></svg>
<p style=position:fixed onclick=window.canary=1>press me</p> <form action=http://127.0.0.1:9/><input name=q></form>
<iframe srcdoc=now></iframe> [a link](javascript:window.canary=1) ![a picture](http://127.0.0.1:9/x.png)"""


@pytest.mark.clause("v5:chat:links")
def test_a_turn_with_a_report(visit: Visit) -> None:
    keys = Keyboard(visit.page)
    visit.ask("hello")  # starts the session that the file goes to
    visit.person.upload(visit.session_id, "sales.csv", CSV)

    turn = visit.ask('/report.summarise {"filename": "sales.csv"}')

    call = turn.locator(".call")
    expect(call.locator("summary")).to_have_text(re.compile(r"report\.summarise\s*Done"))
    keys.press("summary", "report.summarise", back=True)
    expect(call.locator(".details pre").first).to_contain_text('"filename": "sales.csv"')
    expect(call.locator(".details pre").last).to_contain_text('"rows": 3')
    buttons = turn.locator("button.artifact-button")
    expect(buttons).to_have_text([re.compile("sales_report.html"), re.compile("sales_chart.png")])
    assert [button.get_attribute("data-artifact-type") for button in buttons.all()] == ["text/html", "image/png"]
    assert all(button.get_attribute("data-artifact-id") for button in buttons.all())
    keys.press("button", "sales_chart.png")
    expect(visit.page.get_by_label("Canvas", exact=True)).to_contain_text("sales_chart.png")
    visit.shoot("report")


def test_what_a_reload_shows_is_what_was_shown(visit: Visit) -> None:
    visit.ask('/calculator.evaluate {"expression": "2+3"}\n/calculator.evaluate {"expression": "2+"}')
    turn = visit.send('/asking.write {"name": "note.txt", "text": "hello"}')
    turn.get_by_role("button", name="Allow").wait_for()
    before = visit.page.locator(".turns").aria_snapshot()

    visit.page.reload()
    visit.turns.nth(1).get_by_role("button", name="Allow").wait_for()
    expect(visit.turns.first.locator(".call")).to_have_count(2)

    assert without_times(visit.page.locator(".turns").aria_snapshot()) == without_times(before)
    visit.turns.nth(1).get_by_role("button", name="Deny").click()
    expect(visit.turns.nth(1)).to_have_attribute("aria-busy", "false")


def without_times(snapshot: str) -> str:
    """What counts down differs from look to look."""
    return re.sub(r"\d+ s left", "", snapshot)


def test_a_failed_call_says_why_and_what_may_help(visit: Visit) -> None:
    turn = visit.ask('/calculator.evaluate {"expresion": "2+3"}')

    expect(turn.locator(".call")).to_have_class("call failed")
    expect(turn.locator(".error-message")).to_contain_text("expression")
    expect(turn.locator(".suggestion")).to_have_text("Correct the arguments and call the tool again")
    visit.shoot("failed")


def test_a_call_waits_for_approval_with_arguments_that_can_be_changed(visit: Visit) -> None:
    keys = Keyboard(visit.page)
    turn = visit.send(ASK_FIRST)
    turn.get_by_role("button", name="Allow").wait_for()
    keys.go_to("textarea", "text", back=True)
    keys.write("changed", end="")
    keys.press("input", "capitals", key="Space")
    visit.shoot("approval")
    keys.press("button", "Allow")
    expect(turn).to_have_attribute("aria-busy", "false")

    assert keys.focused()[0] == "summary"  # the form is gone; the call that it was about is there
    visit.page.keyboard.press("Enter")
    expect(turn.locator(".details pre").first).to_contain_text('"text": "changed"')
    expect(turn.locator(".details pre").first).to_contain_text('"capitals": true')
    expect(turn.locator("button.artifact-button")).to_have_count(1)

    refused = visit.send(ASK_FIRST)
    refused.get_by_role("button", name="Deny").wait_for()
    keys.press("button", "Deny", back=True)
    expect(refused.locator(".call")).to_have_class("call denied")


def test_a_long_tool_says_how_far_it_is_then_that_it_is_silent_and_is_cancelled(visit: Visit) -> None:
    turn = visit.send('/asking.plod {"words": 4, "every": 0.4, "silent": 60}')

    progress = turn.get_by_role("progressbar", name="Progress of asking.plod")
    expect(turn.locator(".progress")).to_contain_text(re.compile("step [234] of 4"))
    assert float(progress.get_attribute("value") or 0) >= 50
    visit.shoot("progress")
    notice = turn.locator(".notice")
    for words in ("taking longer than expected", "Still processing", "will timeout in"):
        expect(notice).to_contain_text(words)
        expect(notice).to_contain_text(re.compile(r"\d+ s left"))
        expect(visit.page.get_by_label("Announcements")).to_contain_text(words)
    visit.shoot("notice")
    keys = Keyboard(visit.page)
    keys.press("button", "Cancel", back=True)

    expect(turn.locator(".call")).to_have_class("call stopped")
    expect(visit.page.get_by_role("button", name="Send")).to_be_visible()
    assert keys.focused()[0] == "summary"


def test_sessions_are_listed_renamed_and_ended_after_it_is_said_what_goes(visit: Visit) -> None:
    page, keys = visit.page, Keyboard(visit.page)
    titles = page.locator(".sessions .title")
    with visit.hearing_late("/api/sessions"):
        page.reload()
        visit.ask("first matter")
    expect(titles).to_have_text(["first matter"])
    keys.press("button", "New chat")
    expect(visit.turns).to_have_count(0)
    visit.ask("second matter")
    expect(titles).to_have_text(["second matter", "first matter"])

    keys.press("button", "Rename first matter")
    assert keys.focused() == ("input", "Title")
    keys.write("Sales")
    expect(titles).to_have_text(["second matter", "Sales"])
    assert keys.focused() == ("button", "Sales")
    page.keyboard.press("Enter")
    expect(visit.turns.locator(".user-message")).to_have_text("first matter")

    keys.press("button", "Delete Sales")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("will be deleted")
    visit.shoot("delete-chat")
    keys.press("button", "Cancel")
    expect(page.locator("dialog")).to_have_count(0)  # closed it has no role any more, a moment before it goes
    expect(titles).to_have_count(2)
    assert keys.focused() == ("button", "Delete Sales")
    page.keyboard.press("Enter")
    keys.press("button", "Delete chat")
    expect(titles).to_have_text(["second matter"])
    assert keys.focused()[1].endswith("second matter")

    visit.person.session(title="third matter")
    page.route("**/api/sessions", lambda route: route.continue_(url=f"{route.request.url}?limit=1"))
    page.reload()
    expect(titles).to_have_text(["third matter"])
    keys.press("button", "Show more")
    expect(titles).to_have_text(["third matter", "second matter"])


def test_on_one_machine_one_may_be_somebody_else_who_sees_nothing_of_the_first(visitor: Visitor) -> None:
    visit = visitor(signed_in=False)
    page = visit.page
    visit.go_on()
    visit.ask("my own matter")
    session_id = visit.session_id

    keys = Keyboard(page)
    keys.press("button", "Signed in as dev@example.com")
    keys.go_to("input", "Email address")
    keys.write("other@example.com", end="")
    keys.press("button", "Continue")

    page.get_by_role("button", name="Signed in as other@example.com").wait_for()
    expect(page.locator(".sessions .title")).to_have_count(0)
    page.goto(f"/#{session_id}")
    expect(page.locator(".toast")).to_contain_text("There is no such session")
    expect(visit.turns).to_have_count(0)


def test_a_narrow_and_dark_screen_holds_it_all(visitor: Visitor) -> None:
    visit = visitor(viewport={"width": 360, "height": 740}, color_scheme="dark")
    visit.go_on()
    turn = visit.ask('/calculator.evaluate {"expression": "2+3"}')
    turn.locator("summary").click()
    visit.shoot("narrow-dark")
    page, keys = visit.page, Keyboard(visit.page)
    keys.press("button", "Open sidebar", back=True)
    expect(page.get_by_role("button", name="New chat")).to_be_visible()
    assert keys.focused() == ("button", "Chats")
    visit.shoot("narrow-dark-side")
    assert complaints(page) == []  # what the side covers is no place to go to
    keys.press("button", "Close sidebar")
    assert keys.focused() == ("button", "Open sidebar")

    visit.person.upload(None, "notes.txt", b"1")
    page.keyboard.press("Enter")
    keys.press("button", "My Files")
    keys.press("button", "notes.txt")
    expect(page.get_by_role("region", name="notes.txt")).to_be_in_viewport(ratio=1)  # the side stands over it no more
    assert keys.focused() == ("tab", "notes.txt")
    keys.press("button", "Close canvas")
    assert keys.focused() == ("textarea", "Message")  # it has no button: no tool made anything here

    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_what_a_tool_says_runs_nothing_and_fetches_nothing_in_the_chat(visit: Visit) -> None:
    page = visit.page
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(urlsplit(request.url).netloc))
    visit.ask("hello")
    visit.person.upload(visit.session_id, "said.txt", HOSTILE.encode())

    turn = visit.ask('/trial.read {"filename": "said.txt"}')

    expect(turn.locator(".markdown").get_by_role("link", name="a picture")).to_be_visible()
    turn.locator(".markdown").get_by_text("press me").click()
    assert page.evaluate("window.canary") is None
    assert page.url.startswith(visit.person.url)
    assert turn.locator("script, iframe, form, [style], [onclick], [onerror], [href^='javascript:']").count() == 0
    assert asked == {urlsplit(visit.person.url).netloc}
