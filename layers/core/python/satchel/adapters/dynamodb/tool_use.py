"""Counts how often each user calls each tool: ``USER#{user} / TOOLS``, one attribute for each tool.

The counts choose the tools of model requests if there are many tools. Erasing the user deletes them.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.table import Table
from satchel.domain.ids import UserName

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

_PREFIX = "tool:"


def tool_use_key(user: UserName) -> tuple[str, str]:
    """Return the key (``pk``, ``sk``) of the item that counts a user's tool calls."""
    return f"USER#{user}", "TOOLS"


def parse_tool_use(item: Item | None) -> dict[str, int]:
    """Return the number of calls of each tool in an item, by full name. It is empty if there is no item."""
    named = (item or {}).items()
    return {name.removeprefix(_PREFIX): int(str(count)) for name, count in named if name.startswith(_PREFIX)}


def build_tool_use(table: Table, user: UserName, calls: Mapping[str, int]) -> "TransactWriteItemTypeDef":
    """Build the write that adds calls of a user, by full tool name. There must be at least one."""
    return table.build_add(*tool_use_key(user), {f"{_PREFIX}{tool}": count for tool, count in calls.items()})
