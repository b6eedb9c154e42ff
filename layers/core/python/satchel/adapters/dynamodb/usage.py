"""Tokens that models took, counted on the items of a turn and its session: counters beside ``doc``, added to alone."""

from typing import TYPE_CHECKING

from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.table import Table
from satchel.domain.conversation import TokenUsage

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

COUNTERS = frozenset(TokenUsage.model_fields)


def usage_of(item: Item) -> TokenUsage:
    """Return what an item's counters say."""
    return TokenUsage.model_validate({name: item[name] for name in COUNTERS & item.keys()})


def writes_usage(table: Table, pk: str, sk: str, usage: TokenUsage) -> "TransactWriteItemTypeDef":
    """Return the update that adds to them, of an item that is there."""
    counts = usage.model_dump(exclude_defaults=True)
    return table.writes_update(
        pk,
        sk,
        expression="ADD " + ", ".join(f"{name} :{name}" for name in counts),
        condition="attribute_exists(pk)",
        values=counts,
        names={},
    )
