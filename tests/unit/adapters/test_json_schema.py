import socket
from typing import Any

import pytest

from satchel.adapters.json_schema import JsonSchemaChecker

TOO_DEEP = "the arguments, or the tool's own schema, are nested too deeply to be checked"
SCHEMA = {
    "type": "object",
    "properties": {
        "filename": {"type": "string"},
        "rows": {"type": "integer", "minimum": 1},
        "options": {"type": "object", "properties": {"mode": {"enum": ["fast", "exact"]}}},
        "columns": {"type": "array", "items": {"$ref": "#/$defs/column"}},
    },
    "required": ["filename"],
    "additionalProperties": False,
    "$defs": {"column": {"type": "string", "pattern": "^[a-z]+$"}},
}


def problems(schema: dict[str, Any], arguments: dict[str, Any]) -> list[str]:
    return JsonSchemaChecker().problems(schema, arguments)


def test_what_fits_has_no_problems() -> None:
    arguments = {"filename": "größe.csv", "rows": 1, "options": {"mode": "fast"}, "columns": ["a"]}

    assert problems(SCHEMA, arguments) == []


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"$schema": "http://json-schema.org/draft-07/schema#"}])
def test_a_schema_that_asks_nothing_is_content_with_all(schema: dict[str, Any]) -> None:
    assert problems(schema, {"a": [1, None, {}]}) == []


def test_each_problem_names_its_field() -> None:
    arguments = {"rows": 0, "options": {"mode": "slow"}, "columns": ["a", "B"], "more": 1}

    assert problems(SCHEMA, arguments) == [
        "'filename' is a required property",
        "Additional properties are not allowed ('more' was unexpected)",
        "columns.1: 'B' does not match '^[a-z]+$'",
        "options.mode: 'slow' is not one of ['fast', 'exact']",
        "rows: 0 is less than the minimum of 1",
    ]


def test_only_the_first_ten_are_told_and_none_at_length() -> None:
    schema = {"additionalProperties": {"type": "integer"}}

    told = problems(schema, {f"name{number:02d}": "x" * 1000 for number in range(20)})

    assert len(told) == 10
    assert all(len(problem) < 320 for problem in told)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "objekt"},
        {"properties": []},
        {"properties": {"a": {"pattern": "("}}},
        {"properties": {"a": {"$ref": "#/$defs/missing"}}},
        {"properties": {"a": {"$ref": "other.json"}}},
        {"$dynamicRef": "http://example.invalid/x#y"},
    ],
)
def test_a_broken_schema_is_the_tools_fault_and_said_so(schema: dict[str, Any]) -> None:
    [told] = problems(schema, {"a": "x"})

    assert told.startswith("the tool's own schema is broken: ")
    assert len(told) < 340


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/x", "https://example.invalid/x", "file:///etc/passwd"])
def test_nothing_is_fetched_because_a_schema_says_so(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        pytest.fail("a connection was made")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)

    [told] = problems({"properties": {"a": {"$ref": address}}}, {"a": "x"})

    assert told.startswith("the tool's own schema is broken: ")


def test_arguments_deeper_than_can_be_walked_are_a_problem_and_no_crash() -> None:
    deep: dict[str, Any] = {}
    for _ in range(2000):
        deep = {"a": deep}
    schema = {"properties": {"a": {"$ref": "#"}}}

    assert problems(schema, deep) == [TOO_DEEP]


def test_a_schema_that_turns_in_a_circle_is_a_problem_and_no_crash() -> None:
    assert problems({"$defs": {"loop": {"$ref": "#/$defs/loop"}}, "$ref": "#/$defs/loop"}, {}) == [TOO_DEEP]
