"""Somebody with very many files, written faster than anybody could keep them."""

from typing import TYPE_CHECKING

from satchel.adapters.dynamodb.file_items import pointer_items, record_item
from satchel.adapters.dynamodb.items import Item, encode
from satchel.adapters.dynamodb.table import Table
from satchel.domain.files import FileRecord
from tests.integration.aws.makers import a_file, fresh, someone

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import WriteRequestTypeDef

_AT_ONCE = 25  # what one request writes


def has_many(table: Table, many: int, *, listed_alone: bool) -> str:
    """Make a person with so many files of one session, named by their number; every hundredth is a report.

    With ``listed_alone`` only the list of all files has them.
    """
    user, session_id = someone(), fresh("s")
    items: list[Item] = []
    for number in range(many):
        new = a_file(user, session_id, f"{number:05d}.csv", category=None if number % 100 else "report")
        record = FileRecord(**new.model_dump(), file_key=new.object_id)
        items += [record_item(record), *([] if listed_alone else pointer_items(record))]
    for start in range(0, len(items), _AT_ONCE):
        puts: list[WriteRequestTypeDef] = [
            {"PutRequest": {"Item": encode(item)}} for item in items[start : start + _AT_ONCE]
        ]
        table.client.batch_write_item(RequestItems={table.name: puts})
    return user
