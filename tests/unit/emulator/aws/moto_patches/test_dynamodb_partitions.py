"""The order of the items of a partition, which an emulated query reads."""

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from moto.dynamodb.comparisons import get_comparison_func
from moto.dynamodb.models.dynamo_type import DynamoType, Item

from local.emulator.aws.moto_patches.dynamodb_queries import Bounds, Partition
from tests.unit.contract.strategies import many

keys = st.text(st.sampled_from("ab\0~é\U0010ffff"), min_size=1, max_size=4)
writes = st.lists(st.tuples(st.booleans(), keys), max_size=30)
conditions = st.one_of(
    st.just((None, ())),
    st.tuples(st.sampled_from(["=", "<", "<=", ">", ">=", "BEGINS_WITH"]), st.tuples(keys)),
    st.tuples(keys, keys).map(lambda bounds: ("BETWEEN", tuple(sorted(bounds)))),
)


def text(value: str) -> DynamoType:
    return DynamoType({"S": value})


def write(partition: Partition, stored: set[str], changes: list[tuple[bool, str]]) -> None:
    """Put or remove items in a partition and in a set of its keys."""
    for is_put, key in changes:
        if is_put:
            partition[text(key)] = Item(text("p"), text(key), {})
            stored.add(key)
        else:
            partition.pop(text(key), None)
            stored.discard(key)


def read(partition: Partition, bounds: Bounds, *, forward: bool) -> list[str]:
    return [item.range_key.value for item in partition.between(bounds, forward=forward) if item.range_key]


@many
@given(writes, writes, conditions, st.booleans(), keys)
def test_items_between_two_writes_are_those_that_fulfill_the_condition_in_order(
    first: list[tuple[bool, str]],
    second: list[tuple[bool, str]],
    condition: tuple[str | None, tuple[str, ...]],
    forward: bool,  # noqa: FBT001  (an example of hypothesis)
    start: str,
) -> None:
    comparison, values = condition
    fulfills = get_comparison_func(comparison) if comparison else lambda _key: True
    bounds = Bounds.of(comparison, [text(value) for value in values])
    partition, stored = Partition(), set[str]()
    for changes in (first, second):
        write(partition, stored, changes)
        expected = sorted((key for key in stored if fulfills(key, *values)), reverse=not forward)
        assert read(partition, bounds, forward=forward) == expected
        rest = [key for key in expected if (key > start if forward else key < start)]
        assert read(partition, bounds.after(start, forward=forward), forward=forward) == rest


def test_copy_of_a_partition_has_an_order_of_its_own() -> None:
    partition = Partition()
    write(partition, set(), [(True, "b"), (True, "a")])
    assert read(partition, Bounds(), forward=True) == ["a", "b"]
    copy = deepcopy(partition)
    write(copy, set(), [(True, "aa"), (False, "b")])
    assert read(copy, Bounds(), forward=True) == ["a", "aa"]
    assert read(partition, Bounds(), forward=True) == ["a", "b"]


def test_removing_an_absent_key_without_a_default_is_an_error() -> None:
    partition = Partition()
    write(partition, set(), [(True, "a")])
    read(partition, Bounds(), forward=True)
    with pytest.raises(KeyError):
        partition.pop(text("b"))
