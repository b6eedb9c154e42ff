"""Tests of the prompts for questions of tools."""

import io
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest

from local.cli.ask import Question, ask_question
from local.cli.connection import Connection
from tests.unit.cli.fake_server import CALL, FakeServer, problem

URL = "http://satchel.test"
EXPIRES = "2026-11-24T10:00:00Z"
BASE: dict[str, Any] = {"type": "input_requested", "call_id": CALL, "tool": "trip.plan", "expires_at": EXPIRES}


class Terminal(io.StringIO):
    """Standard input of a user at a terminal."""

    def isatty(self) -> bool:
        return True


def form_event(properties: dict[str, Any], required: tuple[str, ...] = (), **fields: Any) -> dict[str, Any]:  # noqa: ANN401  (fields of the event)
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return BASE | {"input_id": "1-0", "mode": "form", "message": "Go on?", "schema": schema} | fields


def answers_to(
    *events: dict[str, Any], entries: str, refusals: tuple[httpx2.Response, ...] = ()
) -> list[dict[str, Any]]:
    """Run a turn with these questions at a terminal, type the entries, and return the answers that are sent."""
    server = FakeServer(events=list(events))
    server.refusals = list(refusals)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", Terminal(entries))
        assert ask_question(Connection(URL, transport=httpx2.MockTransport(server)), Question("hello")) == 0
    return server.answers


def content_for(property_schema: dict[str, Any], entry: str, *, required: bool = False) -> Any:  # noqa: ANN401  (JSON)
    event = form_event({"field": property_schema}, ("field",) if required else ())
    (answer,) = answers_to(event, entries=f"\n{entry}\n")
    assert (answer["input_id"], answer["action"]) == ("1-0", "accept")
    return answer["content"].get("field")


COLORS = {"type": "string", "enum": ["red", "green", ""], "enumNames": ["Red", "Green", "No color"]}
SIZES = {"type": "string", "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]}
TAGS = {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}}


@pytest.mark.parametrize(
    ("property_schema", "entry", "value"),
    [
        ({"type": "string"}, "two words", "two words"),
        ({"type": "string", "format": "email"}, "a@b.example", "a@b.example"),
        ({"type": "string", "format": "uri"}, "https://a.example/", "https://a.example/"),
        ({"type": "string", "format": "date"}, "2026-01-31", "2026-01-31"),
        ({"type": "string", "format": "date-time"}, "2026-01-31T10:00:00+00:00", "2026-01-31T10:00:00+00:00"),
        ({"type": "string", "format": "date-time"}, "soon", "soon"),
        ({"type": "integer"}, "12", 12),
        ({"type": "integer"}, "twelve", "twelve"),
        ({"type": "number"}, "-1.5", -1.5),
        ({"type": "boolean"}, "Yes", True),
        ({"type": "boolean", "default": True}, "n", False),
        (COLORS, "2", "green"),
        (COLORS, "Green", "green"),
        (COLORS, "3", ""),
        (SIZES, "Large", "l"),
        (TAGS, "1, c", ["a", "c"]),
        ({"type": "array", "items": {"type": "string", "anyOf": SIZES["oneOf"]}}, "2", ["l"]),
    ],
)
def test_entry_becomes_a_value_of_the_type_of_the_field(
    property_schema: dict[str, Any], entry: str, value: object
) -> None:
    assert content_for(property_schema, entry) == value


@pytest.mark.parametrize(
    "property_schema",
    [
        {"type": "string", "default": "a"},
        {"type": "integer", "default": 0},
        {"type": "boolean", "default": False},
        {**COLORS, "default": "green"},
        {**TAGS, "default": ["a", "b"]},
    ],
)
def test_empty_entry_is_the_default(property_schema: dict[str, Any]) -> None:
    assert content_for(property_schema, "") == property_schema["default"]


def test_empty_entry_without_default_leaves_the_field_out_or_chooses_nothing() -> None:
    assert content_for({"type": "string"}, "", required=True) is None
    assert content_for(TAGS, "") is None
    assert content_for(TAGS, "", required=True) == []


def test_time_without_offset_is_local() -> None:
    local = datetime(2026, 1, 31, 10, 0).astimezone()

    answer = content_for({"type": "string", "format": "date-time"}, "2026-01-31 10:00")

    assert datetime.fromisoformat(answer).astimezone(UTC) == local.astimezone(UTC)


def test_entry_that_is_no_choice_is_asked_for_again() -> None:
    assert content_for(COLORS, "blue\n4\n1") == "red"
    assert content_for({"type": "boolean"}, "maybe\ny") is True


def test_question_shows_its_tool_fields_hints_and_deadline(capsys: pytest.CaptureFixture[str]) -> None:
    properties = {
        "days": {"type": "integer", "title": "Days", "description": "Of your trip.", "minimum": 1, "maximum": 9},
        "size": SIZES | {"default": "l"},
        "tags": TAGS | {"default": ["a", "b"], "minItems": 1},
        "name": {"type": "string", "minLength": 2},
        "ok": {"type": "boolean", "default": True},
    }

    answers_to(form_event(properties, ("days",), message="Which\ntrip?", bound_seconds=300), entries="\n3\n\n\nBo\n\n")

    assert capsys.readouterr().err == (
        "trip.plan asks: Which\ntrip?\n"
        "The tool waits 300 seconds for the answer.\n"
        "Enter to answer, d to decline, c to cancel: "
        "  Days · Of your trip. · 1 to 9 · required\n"
        "  Number: "
        "  size\n"
        "    1 Small\n"
        "    2 Large\n"
        "  Number of the choice [2]: "
        "  tags · at least 1 choice\n"
        "    1 a\n"
        "    2 b\n"
        "    3 c\n"
        "  Numbers, such as 1, 2 [1, 2]: "
        "  name · at least 2 characters\n"
        "  Text: "
        "  ok\n"
        "  y or n [y]: "
    )


@pytest.mark.parametrize(("entry", "action"), [("d", "decline"), ("C", "cancel"), ("x\nd", "decline")])
def test_question_is_declined_or_canceled_without_content(entry: str, action: str) -> None:
    (answer,) = answers_to(form_event({"a": {"type": "string"}}), entries=f"{entry}\n")

    assert answer == {"input_id": "1-0", "action": action}


def test_form_without_fields_is_accepted_with_empty_content() -> None:
    assert answers_to(form_event({}), entries="\n") == [{"input_id": "1-0", "action": "accept", "content": {}}]


def test_end_of_input_cancels_the_question() -> None:
    assert answers_to(form_event({"a": {"type": "string"}}), entries="\n") == [{"input_id": "1-0", "action": "cancel"}]


def test_without_a_terminal_the_question_is_canceled(capsys: pytest.CaptureFixture[str]) -> None:
    server = FakeServer(events=[form_event({"a": {"type": "string"}})])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.StringIO("\nx\n"))
        assert ask_question(Connection(URL, transport=httpx2.MockTransport(server)), Question("hello")) == 0

    assert server.answers == [{"input_id": "1-0", "action": "cancel"}]
    assert capsys.readouterr().err.endswith("The question is canceled, because there is no terminal to answer in.\n")


def test_two_questions_are_answered_one_after_the_other() -> None:
    one, other = (form_event({"a": {"type": "string"}}, input_id=f"1-{index}") for index in range(2))

    assert answers_to(one, other, entries="\nfirst\n\nsecond\n") == [
        {"input_id": "1-0", "action": "accept", "content": {"a": "first"}},
        {"input_id": "1-1", "action": "accept", "content": {"a": "second"}},
    ]


def test_rejected_fields_are_asked_for_again_with_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    errors = [{"field": "body.content.days", "message": "must be at most 9"}]
    refusal = httpx2.Response(422, json={"title": "Invalid request", "detail": "…", "errors": errors})
    event = form_event({"name": {"type": "string"}, "days": {"type": "integer", "title": "Days"}})

    answers = answers_to(event, entries="\nBo\n10\n9\n", refusals=(refusal,))

    assert [answer["content"] for answer in answers] == [{"name": "Bo", "days": 10}, {"name": "Bo", "days": 9}]
    assert "Days: must be at most 9\n" in capsys.readouterr().err


def test_question_that_is_closed_meanwhile_does_not_end_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    answers_to(form_event({}), entries="\n", refusals=(problem(409, "The time is over.", "E_INPUT_CLOSED"),))

    assert capsys.readouterr().err.endswith("satchel: The time is over. (E_INPUT_CLOSED)\n")


def test_page_to_visit_is_shown_with_its_host(capsys: pytest.CaptureFixture[str]) -> None:
    url = "https://bank.example@login.example:8443/a?b"
    event = BASE | {"input_id": "1-0", "mode": "url", "message": "Sign in", "url": url}

    assert answers_to(event, entries="\n") == [{"input_id": "1-0", "action": "accept"}]
    assert capsys.readouterr().err.startswith(
        "trip.plan asks: Sign in\n"
        "Visit login.example in a browser, and continue here when you are done:\n"
        f"  {url}\n"
        "The tool waits for the answer until 2026-11-2"
    )


@pytest.mark.parametrize(
    ("name", "property_schema", "message", "is_warned"),
    [
        ("password", {"type": "string"}, "", True),
        ("apiKey", {"type": "string"}, "", True),
        ("value", {"type": "integer", "title": "Your PIN"}, "", True),
        ("value", {"type": "string"}, "What is your password?", True),
        ("max_tokens", {"type": "integer"}, "", False),
        ("secret", {"type": "boolean"}, "", False),
        ("token", COLORS, "", False),
    ],
)
def test_field_that_looks_like_a_secret_has_a_warning(
    name: str,
    property_schema: dict[str, Any],
    message: str,
    is_warned: bool,  # noqa: FBT001  (an expectation)
    capsys: pytest.CaptureFixture[str],
) -> None:
    answers_to(form_event({name: property_schema}, message=message), entries="\n\n")

    assert ("looks like a secret" in capsys.readouterr().err) is is_warned


def test_control_characters_of_a_question_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    properties = {"a": {"type": "string", "title": "x\x1b[2J", "description": "y\x9b", "default": "z\x1b"}}

    answers_to(form_event(properties, message="a\x1b[2Jb\u202e"), entries="\n\n")

    assert not {"\x1b", "\x9b", "\u202e"} & set(capsys.readouterr().err)


def test_modules_of_the_command_are_imported_without_warnings() -> None:
    command = [sys.executable, "-W", "error", "-c", "import local.cli.ask"]

    assert subprocess.run(command, capture_output=True, check=False).stderr == b""  # noqa: S603  (our own module)
