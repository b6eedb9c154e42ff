import socket
import sys
from collections.abc import Callable
from typing import Any

import pytest

from satchel.adapters.json_schema import JsonSchemaChecker
from tests.random_schemas import random_checks

TOO_DEEP = "the value or the tool's schema is nested too deeply"
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
    "$defs": {"column": {"type": "string"}},
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
    arguments = {"rows": 0, "options": {"mode": "slow"}, "columns": ["a", 5], "extra": 1}

    assert find_problems(SCHEMA, arguments) == [
        "'filename' is a required property",
        "Additional properties are not allowed ('extra' was unexpected)",
        "columns.1: 5 is not of type 'string'",
        "options.mode: 'slow' is not one of ['fast', 'exact']",
        "rows: 0 is less than the minimum of 1",
    ]


def test_required_property_with_a_default_may_be_missing() -> None:
    schema = {"properties": {"scale": {"default": "css"}, "name": {}}, "required": ["scale", "name"]}

    assert find_problems(schema, {}) == ["'name' is a required property"]
    assert find_problems({"properties": [], "required": ["a", 1]}, {"a": 1}) != []


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
        {"properties": {"a": {"$ref": "#/$defs/missing"}}},
        {"properties": {"a": {"$ref": "other.json"}}},
        {"properties": {"a": {"type": [{}]}}},
        {"allOf": [5]},
        {"prefixItems": 5, "items": {}, "properties": {"a": 5}},
        {"required": "a"},
    ],
)
def test_invalid_schema_is_reported_as_the_tools_error(schema: dict[str, Any]) -> None:
    [problem] = find_problems(schema, {"a": "x"})

    assert problem.startswith("the tool's schema is invalid: ")
    assert len(problem) < 340


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/x", "https://example.invalid/x", "file:///etc/passwd"])
def test_reference_in_a_schema_causes_no_request(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        pytest.fail("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)

    [problem] = find_problems({"properties": {"a": {"$ref": address}}}, {"a": "x"})

    assert problem.startswith("the tool's schema is invalid: ")


def test_deeply_nested_arguments_are_reported() -> None:
    deep: dict[str, Any] = {}
    for _ in range(2000):
        deep = {"a": deep}
    schema = {"properties": {"a": {"$ref": "#"}}}

    assert find_problems(schema, deep) == [TOO_DEEP]


def call_deeper(frames: int, action: Callable[[], list[str]]) -> list[str]:
    return action() if frames == 0 else call_deeper(frames - 1, action)


@pytest.mark.parametrize("frames", [*range(12), 200])
@pytest.mark.parametrize("keywords", [{}, {"type": "object"}], ids=["reference", "type-and-reference"])
def test_circular_schema_is_reported_at_every_depth_of_the_stack(keywords: dict[str, Any], frames: int) -> None:
    schema = {"$defs": {"loop": {**keywords, "$ref": "#/$defs/loop"}}, "$ref": "#/$defs/loop"}

    assert call_deeper(frames, lambda: find_problems(schema, {})) == [TOO_DEEP]


DOUBLING = {f"d{level}": {"allOf": [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(30)}
REPEATED: dict[str, Any] = {str(number): number for number in range(3000)}
HOSTILE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "slow-pattern": ({"properties": {"a": {"pattern": r"^(\w+\s?)+$"}}}, {"a": "a" * 40 + "!"}),
    "slow-property-pattern": (
        {"patternProperties": {r"^(\w+\s?)+$": {}}, "additionalProperties": False},
        {"a" * 40 + "!": 1},
    ),
    "doubling-definitions": ({"$defs": {**DOUBLING, "d30": {}}, "$ref": "#/$defs/d0"}, {"a": 1}),
    "unique-objects": (
        {"properties": {"a": {"uniqueItems": True}}},
        {"a": [{"number": number} for number in range(10_000)]},
    ),
    "long-errors": ({"properties": {"a": {"anyOf": [{"type": "string"}] * 5000}}}, {"a": [["y" * 100]] * 1000}),
    "long-enum": ({"properties": {"a": {"items": {"enum": list(range(10_000))}}}}, {"a": ["b"] * 10_000}),
    "large-const": ({"properties": {"a": {"items": {"const": REPEATED}}}}, {"a": [REPEATED] * 30}),
    "dependent-names": ({"allOf": [{"dependentRequired": {"a": [str(n) for n in range(5000)]}}] * 500}, {"a": 1}),
    "nested-contains": (
        {"properties": {"a": {"contains": {"contains": {"contains": {"type": "string"}}}}}},
        {"a": [[[1] * 50] * 50] * 50},
    ),
}


def count_calls(action: Callable[[], object]) -> int:
    """Return how many functions the action calls, Python's and built-in ones: its work on any machine."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        action()
    finally:
        sys.setprofile(None)
    return calls


MAX_CALLS = 400_000


@pytest.mark.parametrize("name", HOSTILE)
def test_work_of_a_hostile_schema_is_bounded_and_the_server_checks(name: str) -> None:
    schema, arguments = HOSTILE[name]
    problems: list[str] = []

    calls = count_calls(lambda: problems.extend(find_problems(schema, arguments)))

    assert problems == []
    assert calls < MAX_CALLS


@pytest.mark.parametrize("seed", range(20))
def test_work_of_2000_random_schemas_is_bounded(seed: int) -> None:
    for schema, arguments in random_checks(seed, 100):
        assert count_calls(lambda pair=(schema, arguments): find_problems(*pair)) < MAX_CALLS  # type: ignore[misc]
