"""A thin layer over the DynamoDB client: plain Python values in and out, and two exceptions for failed writes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from satchel.adapters.dynamodb.conditions import translate_errors
from satchel.adapters.dynamodb.items import Item, Values, decode, encode, encode_value

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import (
        DeleteTypeDef,
        PutTypeDef,
        TransactWriteItemTypeDef,
        UpdateTypeDef,
    )

# DynamoDB's limits per request.
_MAX_BATCH_READS = 100
_MAX_BATCH_WRITES = 25
_ABSENT = "attribute_not_exists(pk)"
_PRESENT = "attribute_exists(pk)"


@dataclass(frozen=True)
class Query:
    """A page of items of one partition: those whose sort key begins with ``prefix`` and comes after ``after``."""

    pk: str
    prefix: str = ""
    limit: int = 1000
    after: str | None = None
    newest_first: bool = False


@dataclass(frozen=True)
class Table:
    """A table with the keys ``pk`` and ``sk``.

    ``build_*`` methods return one write of a transaction, which ``transact`` runs.
    """

    client: "DynamoDBClient"
    name: str

    def get(self, pk: str, sk: str) -> Item | None:
        """Return an item, or None (a consistent read)."""
        response = self.client.get_item(TableName=self.name, Key=encode({"pk": pk, "sk": sk}), ConsistentRead=True)
        return decode(response["Item"]) if "Item" in response else None

    def get_many(self, keys: Sequence[tuple[str, str]]) -> list[Item]:
        """Return the items that exist among any number of different keys, in no particular order (consistent reads)."""
        items: list[Item] = []
        for start in range(0, len(keys), _MAX_BATCH_READS):
            pending = [encode({"pk": pk, "sk": sk}) for pk, sk in keys[start : start + _MAX_BATCH_READS]]
            while pending:
                response = self.client.batch_get_item(
                    RequestItems={self.name: {"Keys": pending, "ConsistentRead": True}}
                )
                items += [decode(item) for item in response["Responses"][self.name]]
                pending = list(response["UnprocessedKeys"].get(self.name, {"Keys": []})["Keys"])
        return items

    def put(self, item: Item, *, if_absent: bool = False) -> None:
        """Write an item. With ``if_absent``, raise ConditionFailed if the key exists."""
        extra: dict[str, Any] = {"ConditionExpression": _ABSENT} if if_absent else {}
        with translate_errors():
            self.client.put_item(TableName=self.name, Item=encode(item), **extra)

    def update(self, pk: str, sk: str, expression: str, condition: str, values: Values, names: dict[str, str]) -> None:
        """Change an item. Raise ConditionFailed if the condition is false."""
        with translate_errors():
            self.client.update_item(
                TableName=self.name,
                Key=encode({"pk": pk, "sk": sk}),
                UpdateExpression=expression,
                ConditionExpression=condition,
                ExpressionAttributeValues={f":{name}": encode_value(value) for name, value in values.items()},
                **_attribute_names(names),
            )

    def delete(self, pk: str, sk: str) -> None:
        """Delete an item, if it exists."""
        self.client.delete_item(TableName=self.name, Key=encode({"pk": pk, "sk": sk}))

    def delete_if(self, pk: str, sk: str, attribute: str, value: str) -> None:
        """Delete an item if an attribute has this value, else raise ConditionFailed."""
        with translate_errors():
            self.client.delete_item(
                TableName=self.name,
                Key=encode({"pk": pk, "sk": sk}),
                ConditionExpression="#attribute = :value",
                ExpressionAttributeNames={"#attribute": attribute},
                ExpressionAttributeValues={":value": {"S": value}},
            )

    def delete_many(self, keys: Sequence[tuple[str, str]]) -> None:
        """Delete any number of items, in no particular order; absent ones are no error."""
        for start in range(0, len(keys), _MAX_BATCH_WRITES):
            batch = keys[start : start + _MAX_BATCH_WRITES]
            pending: Any = [{"DeleteRequest": {"Key": encode({"pk": pk, "sk": sk})}} for pk, sk in batch]
            while pending:
                response = self.client.batch_write_item(RequestItems={self.name: pending})
                pending = response["UnprocessedItems"].get(self.name)

    def pop(self, pk: str, sk: str) -> Item | None:
        """Delete an item and return it, or None. Of several concurrent callers, one gets the item."""
        key = encode({"pk": pk, "sk": sk})
        response = self.client.delete_item(TableName=self.name, Key=key, ReturnValues="ALL_OLD")
        return decode(response["Attributes"]) if "Attributes" in response else None

    def query(self, query: Query) -> tuple[list[Item], str | None]:
        """Return a page of items by sort key, and the sort key to pass as ``after`` for the next page (None: last)."""
        key_condition: dict[str, Any] = {
            "KeyConditionExpression": "pk = :pk AND begins_with(sk, :prefix)",
            "ExpressionAttributeValues": encode({":pk": query.pk, ":prefix": query.prefix}),
        }
        if not query.prefix:
            key_condition = {
                "KeyConditionExpression": "pk = :pk",
                "ExpressionAttributeValues": encode({":pk": query.pk}),
            }
        if query.after is not None:
            key_condition["ExclusiveStartKey"] = encode({"pk": query.pk, "sk": query.after})
        response = self.client.query(
            TableName=self.name,
            ConsistentRead=True,
            Limit=query.limit,
            ScanIndexForward=not query.newest_first,
            **key_condition,
        )
        last = response.get("LastEvaluatedKey")
        return [decode(item) for item in response["Items"]], str(decode(last)["sk"]) if last else None

    def query_all(self, pk: str, prefix: str) -> list[Item]:
        """Return all items of a partition with this sort key prefix. Only for sets that have a fixed upper bound."""
        items, after = self.query(Query(pk, prefix))
        while after is not None:
            page, after = self.query(Query(pk, prefix, after=after))
            items += page
        return items

    def query_expired(self, bucket: str, until: int, limit: int) -> list[Item]:
        """Return items of a bucket of the expiry index with ``expires_at`` up to ``until`` (seconds), oldest first."""
        response = self.client.query(
            TableName=self.name,
            IndexName="expiry",
            KeyConditionExpression="expiry_bucket = :bucket AND expires_at <= :until",
            ExpressionAttributeValues=encode({":bucket": bucket, ":until": until}),
            Limit=limit,
        )
        return [decode(item) for item in response["Items"]]

    def transact(self, writes: Sequence["TransactWriteItemTypeDef"]) -> None:
        """Run all writes or none. Raise ConditionFailed (with the positions of the failed writes) or WriteConflict."""
        with translate_errors():
            self.client.transact_write_items(TransactItems=list(writes))

    def build_put(self, item: Item, *, if_absent: bool = False) -> "TransactWriteItemTypeDef":
        """Return a put; with ``if_absent``, on condition that the key does not exist."""
        put: PutTypeDef = {"TableName": self.name, "Item": encode(item)}
        if if_absent:
            put["ConditionExpression"] = _ABSENT
        return {"Put": put}

    def build_put_if(self, item: Item, attribute: str, value: str) -> "TransactWriteItemTypeDef":
        """Return a put that replaces an item, on condition that an attribute of the old item has this value."""
        return {
            "Put": {
                "TableName": self.name,
                "Item": encode(item),
                "ConditionExpression": "#attribute = :value",
                "ExpressionAttributeNames": {"#attribute": attribute},
                "ExpressionAttributeValues": {":value": {"S": value}},
            },
        }

    def build_update(
        self, pk: str, sk: str, expression: str, condition: str, values: Values, names: dict[str, str]
    ) -> "TransactWriteItemTypeDef":
        """Return a conditional update."""
        update: UpdateTypeDef = {
            "TableName": self.name,
            "Key": encode({"pk": pk, "sk": sk}),
            "UpdateExpression": expression,
            "ConditionExpression": condition,
            "ExpressionAttributeValues": {f":{name}": encode_value(value) for name, value in values.items()},
        }
        if names:
            update["ExpressionAttributeNames"] = names
        return {"Update": update}

    def build_add(self, pk: str, sk: str, counts: Mapping[str, int]) -> "TransactWriteItemTypeDef":
        """Return an update that adds to counters. An absent counter, or item, starts at 0."""
        return {
            "Update": {
                "TableName": self.name,
                "Key": encode({"pk": pk, "sk": sk}),
                "UpdateExpression": "ADD " + ", ".join(f"#{name} :{name}" for name in counts),
                "ExpressionAttributeNames": {f"#{name}": name for name in counts},
                "ExpressionAttributeValues": {f":{name}": encode_value(count) for name, count in counts.items()},
            },
        }

    def build_delete(self, pk: str, sk: str, *, if_present: bool = False) -> "TransactWriteItemTypeDef":
        """Return a delete; with ``if_present``, on condition that the item exists."""
        delete: DeleteTypeDef = {"TableName": self.name, "Key": encode({"pk": pk, "sk": sk})}
        if if_present:
            delete["ConditionExpression"] = _PRESENT
        return {"Delete": delete}

    def build_delete_if(self, pk: str, sk: str, attribute: str, value: str) -> "TransactWriteItemTypeDef":
        """Return a delete, on condition that an attribute of the item has this value."""
        return {
            "Delete": {
                "TableName": self.name,
                "Key": encode({"pk": pk, "sk": sk}),
                "ConditionExpression": "#attribute = :value",
                "ExpressionAttributeNames": {"#attribute": attribute},
                "ExpressionAttributeValues": {":value": {"S": value}},
            },
        }

    def build_check(self, pk: str, sk: str, attribute: str, value: str) -> "TransactWriteItemTypeDef":
        """Return the condition that an attribute of an item has this value; the item itself is not changed."""
        return {
            "ConditionCheck": {
                "TableName": self.name,
                "Key": encode({"pk": pk, "sk": sk}),
                "ConditionExpression": "#attribute = :value",
                "ExpressionAttributeNames": {"#attribute": attribute},
                "ExpressionAttributeValues": {":value": {"S": value}},
            },
        }


def _attribute_names(names: dict[str, str]) -> dict[str, Any]:
    """Return the request parameter for attribute names; DynamoDB rejects an empty map."""
    return {"ExpressionAttributeNames": names} if names else {}
