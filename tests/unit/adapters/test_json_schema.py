import socket
from typing import Any

import pytest

from satchel.adapters.json_schema import JsonSchemaChecker

TOO_DEEP = "the arguments or the tool's input schema are nested too deeply"
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


def find_problems(schema: dict[str, Any], arguments: dict[str, Any]) -> list[str]:
    return JsonSchemaChecker().find_problems(schema, arguments)


def test_valid_arguments_have_no_problems() -> None:
    arguments = {"filename": "größe.csv", "rows": 1, "options": {"mode": "fast"}, "columns": ["a"]}

    assert find_problems(SCHEMA, arguments) == []


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"$schema": "http://json-schema.org/draft-07/schema#"}])
def test_schema_without_constraints_accepts_everything(schema: dict[str, Any]) -> None:
    assert find_problems(schema, {"a": [1, None, {}]}) == []


def test_each_problem_names_its_field() -> None:
    arguments = {"rows": 0, "options": {"mode": "slow"}, "columns": ["a", "B"], "extra": 1}

    assert find_problems(SCHEMA, arguments) == [
        "'filename' is a required property",
        "Additional properties are not allowed ('extra' was unexpected)",
        "columns.1: 'B' does not match '^[a-z]+$'",
        "options.mode: 'slow' is not one of ['fast', 'exact']",
        "rows: 0 is less than the minimum of 1",
    ]


def test_returns_up_to_ten_short_problems() -> None:
    schema = {"additionalProperties": {"type": "integer"}}

    problems = find_problems(schema, {f"name{number:02d}": "x" * 1000 for number in range(20)})

    assert len(problems) == 10
    assert all(len(problem) < 320 for problem in problems)


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
def test_invalid_schema_is_reported_as_the_tools_error(schema: dict[str, Any]) -> None:
    [problem] = find_problems(schema, {"a": "x"})

    assert problem.startswith("the tool's input schema is invalid: ")
    assert len(problem) < 340


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/x", "https://example.invalid/x", "file:///etc/passwd"])
def test_reference_in_a_schema_causes_no_request(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        pytest.fail("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)

    [problem] = find_problems({"properties": {"a": {"$ref": address}}}, {"a": "x"})

    assert problem.startswith("the tool's input schema is invalid: ")


def test_deeply_nested_arguments_are_reported() -> None:
    deep: dict[str, Any] = {}
    for _ in range(2000):
        deep = {"a": deep}
    schema = {"properties": {"a": {"$ref": "#"}}}

    assert find_problems(schema, deep) == [TOO_DEEP]


def test_circular_schema_is_reported() -> None:
    assert find_problems({"$defs": {"loop": {"$ref": "#/$defs/loop"}}, "$ref": "#/$defs/loop"}, {}) == [TOO_DEEP]
