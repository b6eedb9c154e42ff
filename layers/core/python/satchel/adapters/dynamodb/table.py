"""A thin layer over the DynamoDB client: plain values in and out, conditions that fail as one exception."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from satchel.adapters.dynamodb.conditions import conditions
from satchel.adapters.dynamodb.items import Item, Values, decode, encode, wire_value

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import (
        DeleteTypeDef,
        PutTypeDef,
        TransactWriteItemTypeDef,
        UpdateTypeDef,
    )

_MAX_GETS = 100
_MAX_DELETES = 25
_ABSENT = "attribute_not_exists(pk)"
_PRESENT = "attribute_exists(pk)"


@dataclass(frozen=True)
class Query:
    """A page of items of one partition whose sort key begins with ``prefix``."""

    pk: str
    prefix: str = ""
    limit: int = 1000
    after: str | None = None
    newest_first: bool = False


@dataclass(frozen=True)
class Table:
    """One table with keys ``pk`` and ``sk``."""

    client: "DynamoDBClient"
    name: str

    def get(self, pk: str, sk: str) -> Item | None:
        """Return an item as it is now (a consistent read)."""
        answer = self.client.get_item(TableName=self.name, Key=encode({"pk": pk, "sk": sk}), ConsistentRead=True)
        return decode(answer["Item"]) if "Item" in answer else None

    def get_many(self, keys: Sequence[tuple[str, str]]) -> list[Item]:
        """Return those of the items that there are, as they are now, in no order; any number of different keys."""
        found: list[Item] = []
        for start in range(0, len(keys), _MAX_GETS):
            wanted = [encode({"pk": pk, "sk": sk}) for pk, sk in keys[start : start + _MAX_GETS]]
            while wanted:
                answer = self.client.batch_get_item(RequestItems={self.name: {"Keys": wanted, "ConsistentRead": True}})
                found += [decode(item) for item in answer["Responses"][self.name]]
                wanted = list(answer["UnprocessedKeys"].get(self.name, {"Keys": []})["Keys"])
        return found

    def put(self, item: Item, *, absent: bool = False) -> None:
        """Write an item. With ``absent`` raises ConditionFailed where there is one."""
        extra: dict[str, Any] = {"ConditionExpression": _ABSENT} if absent else {}
        with conditions():
            self.client.put_item(TableName=self.name, Item=encode(item), **extra)

    def update(self, pk: str, sk: str, expression: str, condition: str, values: Values, names: dict[str, str]) -> None:
        """Change an item. Raises ConditionFailed."""
        with conditions():
            self.client.update_item(
                TableName=self.name,
                Key=encode({"pk": pk, "sk": sk}),
                UpdateExpression=expression,
                ConditionExpression=condition,
                ExpressionAttributeValues={f":{name}": wire_value(value) for name, value in values.items()},
                **_names(names),
            )

    def delete(self, pk: str, sk: str) -> None:
        """Delete an item; an absent one is no error."""
        self.client.delete_item(TableName=self.name, Key=encode({"pk": pk, "sk": sk}))

    def delete_if(self, pk: str, sk: str, attribute: str, value: str) -> None:
        """Delete an item while one of its attributes has this value. Raises ConditionFailed."""
        with conditions():
            self.client.delete_item(
                TableName=self.name,
                Key=encode({"pk": pk, "sk": sk}),
                ConditionExpression="#attribute = :value",
                ExpressionAttributeNames={"#attribute": attribute},
                ExpressionAttributeValues={":value": {"S": value}},
            )

    def delete_many(self, keys: Sequence[tuple[str, str]]) -> None:
        """Delete items, any number, in no order; absent ones are no error."""
        for start in range(0, len(keys), _MAX_DELETES):
            some = keys[start : start + _MAX_DELETES]
            left: Any = [{"DeleteRequest": {"Key": encode({"pk": pk, "sk": sk})}} for pk, sk in some]
            while left:
                left = self.client.batch_write_item(RequestItems={self.name: left})["UnprocessedItems"].get(self.name)

    def take(self, pk: str, sk: str) -> Item | None:
        """Delete an item and return it: of many who take it, one gets it."""
        answer = self.client.delete_item(TableName=self.name, Key=encode({"pk": pk, "sk": sk}), ReturnValues="ALL_OLD")
        return decode(answer["Attributes"]) if "Attributes" in answer else None

    def query(self, query: Query) -> tuple[list[Item], str | None]:
        """Return one page of items, by sort key, and the sort key after which the next page begins."""
        wanted: dict[str, Any] = {
            "KeyConditionExpression": "pk = :pk AND begins_with(sk, :prefix)",
            "ExpressionAttributeValues": encode({":pk": query.pk, ":prefix": query.prefix}),
        }
        if not query.prefix:
            wanted = {"KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": encode({":pk": query.pk})}
        if query.after is not None:
            wanted["ExclusiveStartKey"] = encode({"pk": query.pk, "sk": query.after})
        answer = self.client.query(
            TableName=self.name,
            ConsistentRead=True,
            Limit=query.limit,
            ScanIndexForward=not query.newest_first,
            **wanted,
        )
        last = answer.get("LastEvaluatedKey")
        return [decode(item) for item in answer["Items"]], str(decode(last)["sk"]) if last else None

    def query_all(self, pk: str, prefix: str) -> list[Item]:
        """Return all items of a part of a partition, page by page; for parts that are bounded by nature."""
        items, after = self.query(Query(pk, prefix))
        while after is not None:
            page, after = self.query(Query(pk, prefix, after=after))
            items += page
        return items

    def due(self, bucket: str, until: int, limit: int) -> list[Item]:
        """Return items of a part of the expiry index whose time was over at ``until`` (seconds), the oldest first."""
        answer = self.client.query(
            TableName=self.name,
            IndexName="expiry",
            KeyConditionExpression="expiry_bucket = :bucket AND expires_at <= :until",
            ExpressionAttributeValues=encode({":bucket": bucket, ":until": until}),
            Limit=limit,
        )
        return [decode(item) for item in answer["Items"]]

    def transact(self, writes: Sequence["TransactWriteItemTypeDef"]) -> None:
        """Write all or nothing. Raises ConditionFailed (with the places) and WriteConflict."""
        with conditions():
            self.client.transact_write_items(TransactItems=list(writes))

    def writes_put(self, item: Item, *, absent: bool = False) -> "TransactWriteItemTypeDef":
        """Return a put as a part of a transaction; with ``absent`` it needs the place to be free."""
        put: PutTypeDef = {"TableName": self.name, "Item": encode(item)}
        if absent:
            put["ConditionExpression"] = _ABSENT
        return {"Put": put}

    def writes_put_over(self, item: Item, attribute: str, value: str) -> "TransactWriteItemTypeDef":
        """Return a put that replaces an item only while one of its attributes still has this value."""
        return {
            "Put": {
                "TableName": self.name,
                "Item": encode(item),
                "ConditionExpression": "#attribute = :value",
                "ExpressionAttributeNames": {"#attribute": attribute},
                "ExpressionAttributeValues": {":value": {"S": value}},
            },
        }

    def writes_delete(self, pk: str, sk: str, *, present: bool = False) -> "TransactWriteItemTypeDef":
        """Return a delete as a part of a transaction; with ``present`` it needs the item to be there."""
        delete: DeleteTypeDef = {"TableName": self.name, "Key": encode({"pk": pk, "sk": sk})}
        if present:
            delete["ConditionExpression"] = _PRESENT
        return {"Delete": delete}

    def writes_add(self, pk: str, sk: str, counts: Mapping[str, int]) -> "TransactWriteItemTypeDef":
        """Return an update that adds to counters, from 0 on where there are none."""
        return {
            "Update": {
                "TableName": self.name,
                "Key": encode({"pk": pk, "sk": sk}),
                "UpdateExpression": "ADD " + ", ".join(f"#{name} :{name}" for name in counts),
                "ExpressionAttributeNames": {f"#{name}": name for name in counts},
                "ExpressionAttributeValues": {f":{name}": wire_value(count) for name, count in counts.items()},
            },
        }

    def writes_delete_of(self, pk: str, sk: str, attribute: str, value: str) -> "TransactWriteItemTypeDef":
        """Return a delete that happens only while one of the item's attributes still has this value."""
        return {
            "Delete": {
                "TableName": self.name,
                "Key": encode({"pk": pk, "sk": sk}),
                "ConditionExpression": "#attribute = :value",
                "ExpressionAttributeNames": {"#attribute": attribute},
                "ExpressionAttributeValues": {":value": {"S": value}},
            },
        }

    def writes_check(self, pk: str, sk: str, attribute: str, value: str) -> "TransactWriteItemTypeDef":
        """Return a condition on an item that the transaction leaves as it is."""
        return {
            "ConditionCheck": {
                "TableName": self.name,
                "Key": encode({"pk": pk, "sk": sk}),
                "ConditionExpression": "#attribute = :value",
                "ExpressionAttributeNames": {"#attribute": attribute},
                "ExpressionAttributeValues": {":value": {"S": value}},
            },
        }

    def writes_update(
        self, pk: str, sk: str, expression: str, condition: str, values: Values, names: dict[str, str]
    ) -> "TransactWriteItemTypeDef":
        """Return an update as a part of a transaction."""
        update: UpdateTypeDef = {
            "TableName": self.name,
            "Key": encode({"pk": pk, "sk": sk}),
            "UpdateExpression": expression,
            "ConditionExpression": condition,
            "ExpressionAttributeValues": {f":{name}": wire_value(value) for name, value in values.items()},
        }
        if names:
            update["ExpressionAttributeNames"] = names
        return {"Update": update}


def _names(names: dict[str, str]) -> dict[str, Any]:
    """An empty map of names is refused by the service."""
    return {"ExpressionAttributeNames": names} if names else {}
