"""Random input schemas of tools, with arguments: references that never end, and keywords that are costly to check."""

import random
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]


def random_checks(seed: int, count: int) -> Iterator[tuple[Json, Json]]:
    """Yield this many schemas, each with arguments. They are the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311  (reproducible test data)
    for _ in range(count):
        schema = {"$defs": {name: _random_schema(chance, 2) for name in "ab"}, **_random_schema(chance, 3)}
        yield schema, {name: _random_value(chance, 3) for name in "ab"}


def _random_schema(chance: random.Random, depth: int) -> Json:
    return dict(_random_keywords(chance, depth))


def _random_keywords(chance: random.Random, depth: int) -> Iterator[tuple[str, Any]]:
    if depth == 0 or chance.random() < 0.2:
        yield "$ref", chance.choice(["#/$defs/a", "#/$defs/b", "#", "#/$defs/missing"])
        return

    def schemas() -> list[Json]:
        return [_random_schema(chance, depth - 1) for _ in range(chance.randint(1, 3))]

    for name in chance.sample(["allOf", "anyOf", "oneOf", "prefixItems"], 2):
        yield name, schemas()
    for name in chance.sample(["items", "additionalProperties", "propertyNames", "contains", "not", "if"], 2):
        yield name, _random_schema(chance, depth - 1)
    yield "properties", dict(zip("ab", schemas(), strict=False))
    yield chance.choice(
        [
            ("type", chance.choice(["object", "array", "string", ["integer", "null"]])),
            ("enum", [_random_value(chance, 1)] * chance.choice([1, 100])),
            ("const", _random_value(chance, 2)),
            ("uniqueItems", True),
            ("pattern", r"^(\w+\s?)+$"),
            ("required", ["a"] * chance.choice([1, 1000])),
            ("minimum", 3),
        ]
    )


def _random_value(chance: random.Random, depth: int) -> Any:  # noqa: ANN401  (any JSON value)
    if depth == 0 or chance.random() < 0.2:
        return chance.choice([None, True, 5, 0.5, "a" * chance.choice([1, 40, 1000]) + "!"])
    size = chance.choice([1, 3, 8])
    if chance.random() < 0.5:
        return [_random_value(chance, depth - 1)] * size
    return {name: _random_value(chance, depth - 1) for name in "abcdefgh"[:size]}
