"""Questions of tools: the forms and links that tools may send, and the check of answers."""

from typing import Any

import pytest

from satchel.domain.inputs import Form, UnsupportedQuestion, parse_elicitation, parse_questions

CHOICES = [{"const": "b", "title": "Bern"}, {"const": "z", "title": "Zurich"}]


def form(field: dict[str, Any], *required: str) -> Form:
    return Form.model_validate({"type": "object", "properties": {"it": field}, "required": list(required)})


def problems(field: dict[str, Any], value: object) -> list[str]:
    return [problem.message for problem in form(field).find_problems({"it": value})]


@pytest.mark.parametrize(
    ("field", "valid"),
    [
        ({"type": "string"}, ""),
        ({"type": "string", "minLength": 2, "maxLength": 3}, "abc"),
        ({"type": "string", "format": "email"}, "a@example.com"),
        ({"type": "string", "format": "uri"}, "https://example.com/a?b"),
        ({"type": "string", "format": "date"}, "2026-02-28"),
        ({"type": "string", "format": "date-time"}, "2026-02-28T10:00:00Z"),
        ({"type": "string", "format": "hostname"}, "any text"),
        ({"type": "string", "enum": ["b", "z"]}, "b"),
        ({"type": "string", "oneOf": CHOICES}, "z"),
        ({"type": "number", "minimum": 0.5, "maximum": 2}, 1.5),
        ({"type": "integer", "minimum": 1}, 1),
        ({"type": "integer"}, 1.0),
        ({"type": "boolean"}, False),
        ({"type": "array", "items": {"type": "string", "enum": ["b", "z"]}}, []),
        ({"type": "array", "items": {"anyOf": CHOICES}, "minItems": 1, "maxItems": 2}, ["z", "b"]),
    ],
)
def test_valid_answer_has_no_problems(field: dict[str, Any], valid: object) -> None:
    assert problems(field, valid) == []


@pytest.mark.parametrize(
    ("field", "invalid", "message"),
    [
        ({"type": "string"}, 1, "must be a text"),
        ({"type": "string", "minLength": 2}, "a", "must have at least 2 characters"),
        ({"type": "string", "maxLength": 2}, "abc", "must have at most 2 characters"),
        ({"type": "string"}, "x" * 10_001, "must have at most 10000 characters"),
        ({"type": "string", "format": "email"}, "a.example.com", "must be an email address"),
        ({"type": "string", "format": "uri"}, "example", "must be a URI"),
        ({"type": "string", "format": "uri"}, ":x", "must be a URI"),
        ({"type": "string", "format": "email"}, "a b@example.com", "must be an email address"),
        ({"type": "integer", "maximum": 9}, 10**400, "must be at most 9"),
        ({"type": "integer"}, float("inf"), "must be a number"),
        ({"type": "string", "format": "date"}, "2026-02-30", "must be a date (YYYY-MM-DD)"),
        ({"type": "string", "format": "date"}, "20260228", "must be a date (YYYY-MM-DD)"),
        ({"type": "string", "format": "date-time"}, "2026-02-28T10:00:00", "must be a date and time (RFC 3339)"),
        ({"type": "string", "enum": ["b"]}, "x", "must be one of the choices"),
        ({"type": "string", "oneOf": CHOICES}, "Bern", "must be one of the choices"),
        ({"type": "number"}, True, "must be a number"),
        ({"type": "number", "minimum": 0.5}, 0.4, "must be at least 0.5"),
        ({"type": "number", "maximum": 2}, 3, "must be at most 2"),
        ({"type": "integer"}, 1.5, "must be a whole number"),
        ({"type": "boolean"}, "yes", "must be true or false"),
        ({"type": "array", "items": {"enum": ["b"]}}, "b", "must be a list of choices"),
        ({"type": "array", "items": {"enum": ["b"]}}, ["x"], "must have only values of the choices"),
        ({"type": "array", "items": {"enum": ["b"]}}, ["b", "b"], "must have each choice once"),
        ({"type": "array", "items": {"anyOf": CHOICES}, "minItems": 1}, [], "must have at least 1 choices"),
        ({"type": "array", "items": {"anyOf": CHOICES}, "maxItems": 1}, ["b", "z"], "must have at most 1 choices"),
    ],
)
def test_invalid_answer_names_the_problem_without_the_value(
    field: dict[str, Any], invalid: object, message: str
) -> None:
    assert problems(field, invalid) == [message]


def test_missing_and_unknown_fields_are_problems() -> None:
    found = form({"type": "string"}, "it").find_problems({"other": 1})
    assert [(problem.field, problem.message) for problem in found] == [
        ("body.content.it", "is required"),
        ("body.content.other", "is not a field of the form"),
    ]


def test_form_keeps_mcp_keywords_only_and_drops_unknown_required_fields() -> None:
    schema = {
        "$schema": "x",
        "properties": {"it": {"type": "string", "title": "It", "pattern": "(a+)+", "maxLength": 5}},
        "required": ["it", "other"],
    }
    assert Form.model_validate(schema).model_dump(exclude_none=True) == {
        "type": "object",
        "properties": {"it": {"type": "string", "title": "It", "maxLength": 5}},
        "required": ["it"],
    }


@pytest.mark.parametrize(
    "params",
    [
        {"requestedSchema": {"properties": {"it": {"type": "object"}}}},
        {"requestedSchema": {"properties": {"it": {"type": "array", "items": {"type": "string"}}}}},
        {"requestedSchema": {"properties": {f"f{n}": {"type": "string"} for n in range(51)}}},
        {"requestedSchema": None},
        {"mode": "url", "url": "javascript:alert(1)"},
        {"mode": "url", "url": "https://"},
        {"mode": "url"},
        {"mode": "voice"},
    ],
)
def test_invalid_question_is_rejected(params: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedQuestion, match="invalid question"):
        parse_elicitation("k", {"message": "?", **params})


def test_sampling_is_refused_as_deprecated() -> None:
    with pytest.raises(UnsupportedQuestion, match="sampling/createMessage, which MCP has deprecated"):
        parse_questions({"k": {"method": "sampling/createMessage", "params": {}}})


def test_more_than_ten_questions_at_once_are_rejected() -> None:
    question = {"method": "elicitation/create", "params": {"mode": "url", "message": "?", "url": "https://a.example"}}
    assert len(parse_questions({f"k{n}": question for n in range(10)})) == 10
    with pytest.raises(UnsupportedQuestion, match="11 questions at once"):
        parse_questions({f"k{n}": question for n in range(11)})
