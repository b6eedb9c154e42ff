"""Everybody can use it: by keyboard alone, with a screen reader, in light and dark, on a narrow screen."""

import re
from typing import Literal

from playwright.sync_api import expect

from tests.e2e.web.axe import grave_issues
from tests.e2e.web.keyboard import Keyboard
from tests.e2e.web.reach import complaints
from tests.e2e.web.visit import Visit
from tests.endpoints.acts import Answers
from tests.endpoints.server import Endpoint

LOOKS: list[tuple[int, Literal["light", "dark"]]] = [(1280, "light"), (360, "dark")]
COPY_A_PICTURE = """async () => {
    const canvas = new OffscreenCanvas(2, 2);
    canvas.getContext('2d').fillRect(0, 0, 2, 2);
    const picture = await canvas.convertToBlob({type: 'image/png'});
    await navigator.clipboard.write([new ClipboardItem({'image/png': picture})]);
}"""
BREAK = 760  # pixels; below, one thing is seen at a time
ASK_FIRST = '/asking.write {"name": "note.txt", "text": "hello"}'


def test_a_message_is_written_sent_and_stopped_by_keyboard_alone(visit: Visit) -> None:
    page, keys = visit.page, Keyboard(visit.page)
    keys.go_to("textarea", "Message")
    keys.write("first", end="Shift+Enter")
    page.keyboard.insert_text("matter")
    page.keyboard.press("Enter")
    expect(visit.turns.first).to_have_attribute("aria-busy", "false")
    assert visit.turns.first.locator(".user-message").inner_text() == "first\nmatter"

    keys.write('/trial.wait {"seconds": 60}', end="")  # the focus has stayed where one writes
    keys.press("button", "Send")
    expect(visit.turns).to_have_count(2)
    expect(page.get_by_role("button", name="Stop")).to_be_focused()
    page.keyboard.press("Enter")
    expect(visit.turns.last).to_have_attribute("aria-busy", "false")
    assert keys.focused() == ("button", "Send")


def test_a_model_is_chosen_and_a_picture_pasted_by_keyboard_alone(visit: Visit) -> None:
    page, keys = visit.page, Keyboard(visit.page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate(COPY_A_PICTURE)
    keys.go_to("textarea", "Message")
    page.keyboard.press("Control+V")
    expect(visit.message).to_have_value(re.compile(r'^@"Pasted .*\.png" $'))
    with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        keys.choose("Model", "anthropic")

    session = visit.person.call("GET", f"/api/sessions/{visit.session_id}").json()
    assert session["model"] == "anthropic"
    (file,) = visit.person.call("GET", "/api/files").json()["files"]
    assert file["mime"] == "image/png"


def test_a_link_in_an_answer_is_followed_by_keyboard_alone(visit: Visit, endpoint: Endpoint) -> None:
    address = f"{visit.person.url}/api/health"
    endpoint.will = [Answers([f"It is [well]({address})."])]
    visit.go_on(visit.person.session(model="anthropic"))
    visit.ask("How is it?")

    with visit.page.context.expect_page() as opened:
        Keyboard(visit.page).press("a", "well", back=True)
    expect(opened.value).to_have_url(address)


def test_on_every_main_screen_axe_finds_no_serious_issue_and_tab_reaches_everything(visit: Visit) -> None:
    page = visit.page
    found: dict[str, list[str]] = {}

    def look(screen: str, *, on_the_side: bool = False) -> None:
        for width, scheme in LOOKS:
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)
            if on_the_side and width < BREAK:
                page.get_by_role("button", name="Open sidebar").click()
            found[f"{screen} {scheme}"] = grave_issues(page)
        if on_the_side:
            page.get_by_role("navigation").get_by_role("button", name="Close sidebar").click()
            page.set_viewport_size({"width": LOOKS[0][0], "height": 800})

    look("start")
    turn = visit.ask('/calculator.evaluate {"expression": "2+3"}\n/calculator.evaluate {"expression": "2+"}')
    turn.locator("summary").first.click()
    waiting = visit.send(ASK_FIRST)
    waiting.get_by_role("button", name="Allow").wait_for()
    look("conversation")
    page.set_viewport_size({"width": LOOKS[0][0], "height": 800})
    found["the way through a conversation"] = complaints(page)
    waiting.get_by_role("button", name="Deny").click()
    expect(waiting).to_have_attribute("aria-busy", "false")
    look("sessions", on_the_side=True)
    Keyboard(page).press("button", "Delete /calculator")
    found["the way through a dialog"] = complaints(page, "dialog")
    look("dialog")
    page.set_viewport_size({"width": LOOKS[0][0], "height": 800})
    page.keyboard.press("Escape")
    visit.person.upload(None, "notes.txt", b"1")
    page.get_by_role("button", name="My Files").click()
    page.get_by_role("region", name="My Files").get_by_text("notes.txt").wait_for()
    look("files", on_the_side=True)
    found["the way through files"] = complaints(page)

    assert found == {screen: [] for screen in found}


_LATE_ANSWER = """() => {
    const real = window.fetch;
    const pause = ms => new Promise(done => setTimeout(done, ms));
    window.fetch = async (...given) => {
        const {method, url} = given[0] instanceof Request ? given[0] : new Request(...given);
        if (method === 'GET' && /sessions\\/[^/?]+(\\?|$)/.test(url)) await pause(500);
        const answer = await real(...given);
        if (method === 'POST' && url.endsWith('/turns')) await pause(3000);
        return answer;
    };
}"""


def test_it_is_told_where_a_turn_is_read_before_the_answer_to_its_message_is_there(visit: Visit) -> None:
    visit.page.evaluate(_LATE_ANSWER)
    visit.send(ASK_FIRST)
    expect(visit.page.get_by_label("Announcements")).to_contain_text("asking.write needs your approval")


def test_what_happens_is_told_to_those_who_do_not_see_it(visit: Visit) -> None:
    news = visit.page.get_by_label("Announcements")

    waiting = visit.send(ASK_FIRST)
    expect(news).to_contain_text("asking.write needs your approval")
    waiting.get_by_role("button", name="Allow").click()

    expect(news).to_contain_text("Answer complete")
