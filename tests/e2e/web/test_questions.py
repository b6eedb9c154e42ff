"""Questions of tools in the page: every field, errors, the keyboard, a narrow screen, and links to other sites."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.e2e.web.accessibility import find_axe_violations, find_keyboard_issues
from tests.e2e.web.chat_page import MAX_TURN_MS, ChatPage
from tests.e2e.web.keyboard import Keyboard

Json = dict[str, Any]

CHOICES = ["red", "green", "blue"]
FIELDS: Json = {
    "name": {"type": "string", "title": "Name", "description": "As in your passport.", "minLength": 2, "default": "Bo"},
    "notes": {"type": "string", "title": "Notes", "maxLength": 500},
    "mail": {"type": "string", "title": "Mail", "format": "email"},
    "site": {"type": "string", "title": "Site", "format": "uri"},
    "day": {"type": "string", "title": "Day", "format": "date", "default": "2026-01-31"},
    "at": {"type": "string", "title": "At", "format": "date-time", "default": "2026-01-31T10:00:00+02:00"},
    "price": {"type": "number", "title": "Price", "default": 1.5},
    "count": {"type": "integer", "title": "Count", "minimum": 1, "maximum": 9},
    "agree": {"type": "boolean", "title": "Agree", "default": True},
    "color": {"type": "string", "title": "Color", "enum": CHOICES, "enumNames": ["Red", "Green", "Blue"]},
    "size": {"type": "string", "title": "Size", "oneOf": [{"const": "s", "title": "Small"}], "default": "s"},
    "tags": {"type": "array", "title": "Tags", "items": {"type": "string", "enum": CHOICES}, "default": ["red"]},
    "extras": {"type": "array", "title": "Extras", "items": {"anyOf": [{"const": "x", "title": "Extra"}]}},
}
DEFAULTS: Json = {name: field["default"] for name, field in FIELDS.items() if "default" in field}


class AskingTurn:
    """A turn whose events the test sends to the page instead of the server, and whose answers it takes."""

    def __init__(self, chat: ChatPage) -> None:
        self.answers: list[Json] = []
        self.refusal: tuple[int, Json] | None = None
        self._chat = chat
        self._events: list[Json] = []
        chat.page.route_web_socket(re.compile("."), lambda socket: socket.close())
        chat.page.route(re.compile("/events[?]"), self._send_events)
        chat.page.route(re.compile("/input$"), self._take_answer)
        self.view = chat.send("hello")

    def add(self, event: Json) -> None:
        """Send an event to the page."""
        self._events.append(event)

    def ask(self, input_id: str = "1-0", *, call: str = "01-00", **fields: Any) -> Locator:  # noqa: ANN401  (fields of the event)
        """Ask a question, and return its form."""
        expires_at = (datetime.now(UTC) + timedelta(hours=24)).isoformat()
        question = {"type": "input_requested", "input_id": input_id, "tool": "trip.plan", "mode": "form"}
        question |= {"call_id": call, "message": "Go on?", "expires_at": expires_at}
        self.add(question | fields)
        return self._chat.page.get_by_role("form", name=f"trip.plan asks: {fields.get('message', 'Go on?')}")

    def ask_form(self, fields: Json, *required: str, **event: Any) -> Locator:  # noqa: ANN401  (fields of the event)
        """Ask for the fields, and return the form."""
        return self.ask(schema={"type": "object", "properties": fields, "required": list(required)}, **event)

    def end(self) -> None:
        """End the turn, so that the page follows it no longer."""
        error = {"error_code": "E_CANCELLED", "message": "Stopped."}
        self.add({"type": "turn_failed", "status": "cancelled", "error": error})
        expect(self.view).to_have_attribute("aria-busy", "false")

    def _send_events(self, route: Route) -> None:
        after = int(re.findall(r"after=(\d+)", route.request.url)[0])
        at = datetime.now(UTC).isoformat()
        events = [{"seq": seq, "turn_id": "t", "at": at, **event} for seq, event in enumerate(self._events, 1)]
        is_done = bool(events) and events[-1]["type"] == "turn_failed"
        page = {"events": events[after:], "next": len(events), "done": is_done}
        route.fulfill(json=page)

    def _take_answer(self, route: Route) -> None:
        answer = json.loads(route.request.post_data or "")
        self.answers.append(answer)
        if self.refusal:
            status, problem = self.refusal
            self.refusal = None
            route.fulfill(status=status, json=problem)
            return
        call_id = route.request.url.split("/")[-2]
        answered = {"call_id": call_id, "input_id": answer["input_id"], "action": answer["action"]}
        route.fulfill(json=answered)
        self.add({"type": "input_answered", **answered})


@pytest.fixture
def turn(chat: ChatPage) -> Iterator[AskingTurn]:
    turn = AskingTurn(chat)
    yield turn
    turn.end()


def test_untouched_form_answers_with_the_defaults_of_every_field(turn: AskingTurn) -> None:
    form = turn.ask_form(FIELDS)
    expect(form.get_by_label("Size").locator("option:checked")).to_have_text("Small")
    form.get_by_role("button", name="Answer").click()
    expect(form).to_have_count(0)

    assert turn.answers == [{"input_id": "1-0", "action": "accept", "content": DEFAULTS}]


def test_every_field_is_filled_in_by_keyboard_alone(chat: ChatPage, turn: AskingTurn) -> None:
    keys, page = Keyboard(chat.page), chat.page
    form = turn.ask_form(FIELDS, "name", "count")
    expect(form.get_by_label("Name")).to_have_value("Bo")
    keys.go_to("textarea", "Message")
    for label, text in (("Name", "Ann"), ("Mail", "a@b.example"), ("Site", "https://a.example/"), ("Price", "2.25")):
        keys.go_to("input", label, back=label == "Name")
        keys.write(text, end="")
    keys.go_to("textarea", "Notes", back=True)
    keys.write("one\ntwo", end="")
    keys.go_to("input", "Day")
    page.keyboard.type("02032027")
    keys.go_to("input", "Count")
    keys.write("3", end="")
    keys.press("input", "Agree", key="Space")
    keys.choose("Color", "Green")
    keys.press("input", "green", key="Space")
    keys.press("input", "Extra", key="Space")
    chat.screenshot("question")
    keys.press("button", "Answer")
    expect(form).to_have_count(0)

    assert keys.focused()[0] == "summary"  # the form is gone; the focus moves to its call
    (answer,) = turn.answers
    assert answer["content"] == DEFAULTS | {
        "name": "Ann",
        "notes": "one\ntwo",
        "mail": "a@b.example",
        "site": "https://a.example/",
        "day": "2027-02-03",
        "price": 2.25,
        "count": 3,
        "agree": False,
        "color": "green",
        "tags": ["red", "green"],
        "extras": ["x"],
    }


def test_rejected_fields_show_their_errors_and_the_first_has_the_focus(turn: AskingTurn) -> None:
    errors = [
        {"field": "body.content.count", "message": "must be a number"},
        {"field": "body.content.tags", "message": "must have at most 1 choice"},
    ]
    turn.refusal = 422, {"title": "Invalid request", "status": 422, "detail": "…", "errors": errors}
    form = turn.ask_form({name: FIELDS[name] for name in ("name", "count", "tags")})
    form.get_by_label("Name").fill("Ann")
    form.get_by_label("Count").fill("many")
    form.get_by_label("Count").press("Enter")

    expect(form.get_by_label("Count")).to_be_focused()
    expect(form.get_by_label("Count")).to_have_accessible_description(re.compile("This field must be a number[.]"))
    expect(form.get_by_label("red")).to_have_accessible_description(re.compile("must have at most 1 choice"))
    expect(form.get_by_label("Name")).to_have_attribute("aria-invalid", "false")
    form.get_by_label("Count").fill("4")
    form.get_by_role("button", name="Answer").click()
    expect(form).to_have_count(0)
    contents = [answer["content"] for answer in turn.answers]
    assert contents == [{"name": "Ann", "count": count, "tags": ["red"]} for count in ("many", 4)]


def test_incomplete_date_is_not_sent(chat: ChatPage, turn: AskingTurn) -> None:
    form = turn.ask_form({"day": {"type": "string", "title": "Day", "format": "date"}})
    form.get_by_label("Day").focus()
    chat.page.keyboard.type("01")
    form.get_by_role("button", name="Answer").click()

    expect(form).to_contain_text("This field must be complete or empty.")
    assert turn.answers == []


@pytest.mark.parametrize(("button", "action"), [("Decline", "decline"), ("Cancel", "cancel")])
def test_question_is_declined_or_canceled_without_content(turn: AskingTurn, button: str, action: str) -> None:
    form = turn.ask_form(FIELDS, "count")
    form.get_by_role("button", name=button).click()
    expect(form).to_have_count(0)

    assert turn.answers == [{"input_id": "1-0", "action": action}]


def test_two_questions_at_once_are_answered_independently(turn: AskingTurn) -> None:
    first = turn.ask_form({"city": {"type": "string", "title": "City"}}, message="Where to?")
    second = turn.ask_form({"city": {"type": "string", "title": "City"}}, message="From?", call="01-01")
    expect(turn.view.locator(".call.needs-input")).to_have_count(2)
    first.get_by_label("City").fill("Bern")
    second.get_by_label("City").fill("Oslo")
    second.get_by_role("button", name="Answer").click()
    expect(second).to_have_count(0)
    expect(first.get_by_label("City")).to_have_value("Bern")
    first.get_by_role("button", name="Answer").click()
    expect(turn.view.locator(".call.needs-input")).to_have_count(0)

    assert [answer["content"] for answer in turn.answers] == [{"city": "Oslo"}, {"city": "Bern"}]


def test_question_is_announced_and_marked_in_the_list_of_chats(chat: ChatPage, turn: AskingTurn) -> None:
    form = turn.ask_form({}, message="Delete 3 files?")
    expect(chat.page.get_by_label("Announcements")).to_have_text("trip.plan asks: Delete 3 files?")
    expect(turn.view.locator(".state")).to_have_text("Needs your answer")
    listed = chat.page.locator(".sessions .title")
    expect(listed).to_contain_text("Needs your answer")
    expect(form).to_contain_text(re.compile(r"Waits until \w+"))
    form.get_by_role("button", name="Answer").click()

    expect(listed).not_to_contain_text("Needs your answer")
    assert turn.answers[0]["content"] == {}


def test_bounded_wait_has_a_countdown(turn: AskingTurn) -> None:
    expires_at = (datetime.now(UTC) + timedelta(minutes=5)).isoformat()
    form = turn.ask_form({}, expires_at=expires_at, bound_seconds=300)

    expect(form.get_by_role("timer")).to_have_text(re.compile(r"^\d+ s left$"))


def test_field_that_looks_like_a_secret_has_a_warning(turn: AskingTurn) -> None:
    form = turn.ask_form({"api_key": {"type": "string"}, "city": {"type": "string"}})

    expect(form.get_by_label("api_key")).to_have_accessible_description(re.compile("This looks like a secret"))
    expect(form.get_by_label("city")).to_have_accessible_description("")


def test_page_to_visit_is_loaded_only_by_a_click_and_cannot_reach_back(chat: ChatPage, turn: AskingTurn) -> None:
    requested: list[str] = []

    def serve(route: Route) -> None:
        requested.append(route.request.url)
        route.fulfill(body="in")

    chat.page.context.route(re.compile("login[.]example"), serve)
    url = "https://bank.example@login.example/start?x=1"
    form = turn.ask(mode="url", message="Sign in", url=url)
    expect(form).to_contain_text("wants you to visit login.example.")
    expect(form.locator("code")).to_have_text(url)
    link = form.get_by_role("link", name="Open login.example")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    assert requested == []

    with chat.page.context.expect_page() as opened:
        link.click()
    expect(opened.value.locator("body")).to_have_text("in")
    assert opened.value.evaluate("window.opener") is None
    assert turn.answers == []
    form.get_by_role("button", name="Continue").click()
    expect(form).to_have_count(0)
    assert turn.answers == [{"input_id": "1-0", "action": "accept"}]


@pytest.mark.parametrize("url", ["javascript:window.canary=1", "data:text/html,x", "no address"])
def test_address_that_is_not_of_the_web_cannot_be_opened(turn: AskingTurn, url: str) -> None:
    form = turn.ask(mode="url", message="Sign in", url=url)

    expect(form).to_contain_text(f"This address cannot be opened: {url}")
    expect(form.get_by_role("link")).to_have_count(0)


def test_text_of_a_question_is_shown_as_text(chat: ChatPage, turn: AskingTurn) -> None:
    hostile = "<img src=x onerror=window.canary=1>"
    form = turn.ask_form({hostile: {"type": "string", "title": hostile, "description": hostile}}, message=hostile)

    expect(form.get_by_label(hostile)).to_be_visible()
    assert chat.page.evaluate("window.canary") is None


def test_forms_have_no_accessibility_issues_and_fit_360_pixels(chat: ChatPage, turn: AskingTurn) -> None:
    errors = [{"field": f"body.content.{name}", "message": "must be shorter"} for name in FIELDS]
    turn.refusal = 422, {"title": "Invalid request", "status": 422, "detail": "…", "errors": errors}
    long_title = "Password-" + "of-your-account" * 9
    form = turn.ask_form(FIELDS | {"password": {"type": "string", "title": long_title}}, "name", message="W" * 200)
    other = turn.ask(call="01-01", mode="url", message="Sign in", url="https://login.example/" + "x" * 300)
    form.get_by_role("button", name="Answer").click()
    expect(form).to_contain_text("This field must be shorter.")
    expect(other).to_be_visible()

    issues: list[str] = []
    for width, color_scheme in ((1280, "light"), (360, "dark")):
        chat.page.set_viewport_size({"width": width, "height": 800})
        chat.page.emulate_media(color_scheme=color_scheme)  # type: ignore[arg-type]  # a literal
        issues += find_axe_violations(chat.page)
        chat.screenshot(f"question-{width}")
    widths = chat.page.evaluate(
        "[...document.querySelectorAll('.turns, .question')].map(e => e.scrollWidth - e.clientWidth)"
    )
    Keyboard(chat.page).go_to("region", "Conversation", back=True)
    issues += find_keyboard_issues(chat.page, ".turns")

    assert issues == [], "\n".join(issues)
    assert max(widths) <= 0


def open_calls(turn: Locator) -> None:
    """Open the details of two calls, which fold into a line unless one of them has the focus when they end."""
    head = turn.get_by_role("button", name="2 tools")
    if head.get_attribute("aria-expanded") == "false":
        head.click()
    for call in turn.locator(".call summary").all():
        call.click()


def test_two_tools_of_a_server_ask_at_once_and_get_their_answers(chat: ChatPage) -> None:
    turn = chat.send('/asking.plan {"question": "From?"}\n/asking.plan {"question": "Where to?"}')
    first = chat.page.get_by_role("form", name="asking.plan asks: From?")
    second = chat.page.get_by_role("form", name="asking.plan asks: Where to?")
    for form in (first, second):  # a first one that comes later moves the second
        form.wait_for(timeout=MAX_TURN_MS)
    second.get_by_label("City").fill("B")
    second.get_by_role("button", name="Answer").click()
    expect(second).to_contain_text("This field must have at least 2 characters.")
    second.get_by_label("City").fill("Bern")
    first.get_by_label("City").fill("Oslo")
    first.get_by_label("Days").fill("5")
    second.get_by_role("button", name="Answer").click()
    expect(second).to_have_count(0)
    expect(chat.page.locator(".sessions .title")).to_contain_text("Needs your answer")

    chat.page.reload()
    first.get_by_label("City").fill("Rome")
    first.get_by_role("button", name="Answer").click()
    expect(turn).to_have_attribute("aria-busy", "false", timeout=MAX_TURN_MS)

    expect(turn.locator(".call.done")).to_have_count(2)
    open_calls(turn)
    results = turn.locator(".call .details pre:last-of-type")
    expect(results.first).to_contain_text('"city": "Rome"')
    expect(results.last).to_contain_text('"city": "Bern"')


def test_two_running_tools_of_an_older_server_ask_at_once_with_countdowns(chat: ChatPage) -> None:
    turn = chat.send('/asking_older.ask {"kinds": ["text"]}\n/asking_older.ask {"kinds": ["number", "choices"]}')
    text = chat.page.get_by_role("form", name="asking_older.ask asks: Which text?")
    number = chat.page.get_by_role("form", name="asking_older.ask asks: Which number?")
    for form in (text, number):
        expect(form.get_by_role("timer")).to_have_text(re.compile(r"^\d+ s left$"), timeout=MAX_TURN_MS)
    number.get_by_label("Value").fill("42")
    number.get_by_role("button", name="Answer").click()
    choices = chat.page.get_by_role("form", name="asking_older.ask asks: Which choices?")
    choices.get_by_label("blue").check()
    choices.get_by_role("button", name="Answer").click()
    text.get_by_role("button", name="Decline").click()
    expect(turn).to_have_attribute("aria-busy", "false")

    open_calls(turn)
    results = turn.locator(".call .details pre:last-of-type")
    expect(results.first).to_contain_text("text: decline")
    expect(results.last).to_contain_text("choices: accept ['blue']")
